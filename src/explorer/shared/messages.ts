import de from '../messages/de.json' with { type: 'json' }
import en from '../messages/en.json' with { type: 'json' }
import ko from '../messages/ko.json' with { type: 'json' }
import type { Language } from './language.ts'

/*
 * The tables of messages. A `{name}` in a message is filled; one with a number has a text for one and a text for others.
 */

/** All tables have the messages of the English one, in its shape. */
export type Messages = typeof en

export const MESSAGES: Readonly<Record<Language, Messages>> = { de, en, ko }
