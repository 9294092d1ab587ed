import { render } from 'preact'
import type { ApiError } from '../shared/api-error.ts'
import { byId } from '../shared/element.ts'
import { fill, t } from '../shared/text.ts'

/** Shows credit lines, and that of the base map. */
export function showCredits(credits: Iterable<string>, mapCredit: string): void {
  const lines = [...new Set(credits)].map((credit) => <bdi key={credit}>{credit}</bdi>)
  const map = <span>{mapCredit && fill(t.mapCredit, { credit: mapCredit })}</span>
  render([...lines, map], byId('credit', HTMLElement))
}

/** Shows a status; an empty text removes it. */
export function showStatus(message: string): void {
  byId('map-status', HTMLElement).textContent = message
}

/** Says that something waits for the server; undefined removes the line. */
export function showWaiting(problem: ApiError | undefined): void {
  byId('connection', HTMLElement).textContent = problem ? describe(problem) : ''
}

function describe({ status, retryAfterMs }: ApiError): string {
  if (status === 429 && retryAfterMs > 0) return fill(t.limitReached, { seconds: retryAfterMs / 1000 })
  return status === 0 ? t.noConnection : t.busy
}
