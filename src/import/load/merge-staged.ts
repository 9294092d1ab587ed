import type { Label } from '../../history/entries.ts'
import { type Change, recordChange } from '../../history/record.ts'
import { sql } from '../../sql.ts'
import { mergeCodeLabels } from '../code-labels.ts'
import { lockChangedRows } from './dataset-lock.ts'
import {
  changesOf,
  type DatasetRow,
  type Merge,
  type MergeCounts,
  mergeDataset,
  mergeItems,
  touchDataset,
} from './merge.ts'

/** The state that a dataset gets. Its items are staged, and compared (`planItems`). */
interface State extends Merge {
  /** Whether the dataset exists. */
  exists: boolean
  row: DatasetRow
  labels: readonly Label[]
  /** For the history. */
  change: Pick<Change, 'action' | 'origin' | 'files' | 'undoneId'>
}

/**
 * Gives a dataset a state, as one entry of its history. The caller has a transaction and the dataset locked.
 * @param onShare is called with the share of the new items that are inserted, from 0 to 1
 * @throws a conflict if another session has one of the rows that change
 */
export async function mergeStaged(state: State, counts: MergeCounts, onShare = (_share: number) => {}): Promise<void> {
  const { session, table, datasetId, exists, row, labels } = state
  const changes = changesOf(table)
  await lockChangedRows(session, changes, datasetId)
  const change = { session, datasetId, ...state.change, touched: sql`SELECT id FROM ${changes}` }
  await recordChange(change, async () => {
    const datasetChanged = await mergeDataset(state, row, exists)
    await mergeItems(state, counts, onShare)
    const labelsChanged = await mergeCodeLabels(session, datasetId, labels)
    const itemsChanged = counts.created + counts.updated + counts.removed > 0
    if ((itemsChanged || labelsChanged) && !datasetChanged && row.updated_at === undefined) await touchDataset(state)
    return counts
  })
}
