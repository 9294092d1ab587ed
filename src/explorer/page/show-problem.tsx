import { ApiError, messageOf } from '../shared/api-error.ts'
import { forgetKey } from '../shared/key.ts'
import { askForKey } from '../shared/key-field.ts'
import { readPageData } from '../shared/page-data.ts'
import { fill, t } from '../shared/text.ts'
import { Problem } from '../views/problem.tsx'
import { titleOf } from './title.ts'
import type { ViewArea } from './view-area.tsx'

/** Shows an error in place of the list. A refused key is forgotten, which starts the page again, and another one asked for. */
export function showProblem(error: unknown, area: ViewArea, signal: AbortSignal, retry: () => void): void {
  if (error instanceof ApiError && error.status === 401) {
    refuseKey(error)
    if (signal.aborted) return
  }
  area.replace(<Problem error={error} retry={retry} />, () =>
    area.element.querySelector<HTMLElement>('.problem .button'),
  )
  document.title = titleOf({}, t.problem, undefined)
}

function refuseKey(error: ApiError): void {
  forgetKey()
  const { contact } = readPageData()
  const ask = fill(t.giveAnotherKey, { reason: messageOf(error) })
  askForKey(contact === undefined ? ask : `${ask} ${fill(t.whomToAsk, { contact })}`)
}
