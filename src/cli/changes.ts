import type { DatasetChanges, Difference, ItemChange } from '../history/item-changes.ts'
import type { ChangeCounts } from '../history/record.ts'
import { printLine } from './print.ts'

/** A list shows at most this number of items of each kind. */
export const SHOWN_EXAMPLES = 10
/** A value is cut after this number of characters. */
const SHOWN_CHARACTERS = 60

/** Prints which members of a dataset differ, and examples of its items. `counts` has the number of all of them. */
export function printChanges({ dataset, items }: DatasetChanges, counts: ChangeCounts): void {
  for (const line of describeMembers(dataset)) printLine(`dataset: ${line}`)
  for (const kind of ['created', 'updated', 'removed'] as const) {
    const examples = items.filter(({ change }) => change === kind)
    for (const item of examples) for (const line of describeItem(item)) printLine(line)
    const rest = counts[kind] - examples.length
    if (examples.length > 0 && rest > 0) printLine(`${kind}: and ${rest} more`)
  }
}

function describeItem({ change, id, externalId, name, members = {}, movedMetres }: ItemChange): string[] {
  const moves = movedMetres === undefined ? '' : `, moves ${movedMetres} m`
  const headline = `${change}: ${externalId ?? id}${name === null ? '' : ` ${name}`}${moves}`
  return [headline, ...describeMembers(members).map((line) => `  ${line}`)]
}

/** Returns a line for each member that differs. */
export function describeMembers(members: Record<string, Difference>): string[] {
  return Object.entries(members).map(([name, { before, after }]) => `${name} ${shorten(before)} → ${shorten(after)}`)
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value ?? null)
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}...` : text
}
