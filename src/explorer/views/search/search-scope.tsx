import type { View } from '../../data/address.ts'
import { type Dataset, findDataset } from '../../data/datasets.ts'
import { t } from '../../shared/text.ts'

interface ScopeProps {
  isHidden: boolean
  view: View
  datasets: readonly Dataset[]
  change: () => void
}

/** Where a search looks: in a dataset or all of them, and whether only in the visible part of the map. */
export function SearchScope({ isHidden, view, datasets, change }: ScopeProps) {
  const shown = findDataset(datasets, view)
  return (
    <p class="search-scope" hidden={isHidden}>
      <label for="search-dataset">{t.searchIn}</label>
      <select
        id="search-dataset"
        name="dataset"
        value={(shown && view.dataset) ?? view.compared?.join() ?? ''}
        onChange={change}
      >
        <option value="">{t.allDatasets}</option>
        {datasets.map((each) => (
          // The address may have the UUID of the dataset. A search then keeps it, and the filters.
          <option key={each.id} value={each === shown ? (view.dataset ?? each.slug) : each.slug}>
            {each.name}
          </option>
        ))}
        {view.compared && <option value={view.compared.join()}>{t.compared}</option>}
      </select>
      <label class="search-visible">
        <input
          type="checkbox"
          id="search-visible"
          name="visible"
          checked={view.within !== undefined}
          onChange={change}
        />{' '}
        <span>{t.visibleOnly}</span>
      </label>
    </p>
  )
}
