import { byId, element } from '../shared/dom.ts'
import { WORLD_CREDIT } from './world.ts'

/*
 * The two lines of text on the map: the credit lines, which are always visible, and the status.
 */

/** Shows credit lines, and that of the base map. */
export function showCredits(credits: Iterable<string>): void {
  byId('credit', HTMLElement).replaceChildren(
    ...[...new Set(credits)].map((credit) => element('bdi', {}, credit)),
    element('span', {}, WORLD_CREDIT),
  )
}

/** Shows a status; an empty text removes it. */
export function showStatus(message: string): void {
  byId('map-status', HTMLElement).textContent = message
}
