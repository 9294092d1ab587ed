import { byId, element } from '../shared/dom.ts'

/*
 * The two lines of text on the map: the credit lines, which are always visible, and the status.
 */

/** Shows credit lines, and that of the base map. */
export function showCredits(credits: Iterable<string>, mapCredit: string): void {
  byId('credit', HTMLElement).replaceChildren(
    ...[...new Set(credits)].map((credit) => element('bdi', {}, credit)),
    element('span', {}, mapCredit),
  )
}

/** Shows a status; an empty text removes it. */
export function showStatus(message: string): void {
  byId('map-status', HTMLElement).textContent = message
}
