import type { ApiError } from '../shared/api.ts'
import { byId, element } from '../shared/dom.ts'

/*
 * The lines of text on the map and at the foot of the page.
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

/** Says that something waits for the server; undefined removes the line. */
export function showWaiting(problem: ApiError | undefined): void {
  const reason = problem?.status === 0 ? 'No connection to the server.' : 'The server is busy.'
  byId('connection', HTMLElement).textContent = problem ? `${reason} Trying again …` : ''
}
