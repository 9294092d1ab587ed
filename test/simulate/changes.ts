import type { Change } from './change.ts'
import { changeVisibility, createDataset, exchangeSlugs, removeDataset, updateDatasets } from './dataset-changes.ts'
import { hideDataset } from './hidden.ts'
import { changeImages, changeItems, exchangeRecords } from './item-changes.ts'
import { changeRevocation, changeRights, dealGrants } from './key-changes.ts'

/*
 * Random changes of the model. Each is one transaction in the database, with statements that follow from the difference (sql.ts).
 * `mark` is new for each change, and stands in the texts of changed records: an answer says which state it saw.
 */

/** A change of several kinds at once, of the catalog and of the rights. */
const changeBoth: Change = (random, world, state, mark) => {
  const changed = updateDatasets(random, world, state, mark) ?? state
  return changeRights(random, world, changeItems(random, world, changed, mark) ?? changed, mark)
}

/** Everything stays as it is. */
const nothing: Change = (_, __, state) => ({ ...state })

/** All changes by their names. */
export const CHANGES = {
  ...{ updateDatasets, changeVisibility, exchangeSlugs, removeDataset, createDataset, changeItems, exchangeRecords },
  ...{ changeImages, changeRights, dealGrants, changeRevocation, changeBoth, hideDataset, nothing },
} as const
