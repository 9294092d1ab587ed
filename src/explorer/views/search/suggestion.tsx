import { areaLabel, type CodesOf, categoryLabel } from '../../data/codes.ts'
import type { ListedItem } from '../../data/datasets.ts'
import type { Option } from '../../shared/combobox.tsx'
import { Later } from '../../shared/later.tsx'

/** Many places have the same name: the labels of the codes tell them apart. */
export function suggestionOf(
  { id, datasetId, name, categoryCode, administrativeAreaCode }: ListedItem,
  codesOf: CodesOf,
): Option {
  const codes = codesOf(datasetId)
  const labels = Promise.all([categoryLabel(categoryCode, codes), areaLabel(administrativeAreaCode, codes)])
  return { value: id, label: name, note: <Later of={labels}>{(known) => known.join(' · ')}</Later> }
}
