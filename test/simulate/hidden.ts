import type { Change } from './change.ts'
import { rightsOf } from './view.ts'

/** A word that is only in what is written while no key may read it. No answer may contain it. */
export const HIDDEN = 'Concealed'

/**
 * Withdraws all grants of a dataset that no key may read without one, and adds the word to its texts and to those of its items and
 * images.
 */
export const hideDataset: Change = (random, _, { catalog, keys }, mark) => {
  const withoutGrant = (id: string) =>
    keys.map((key) =>
      key.grants.includes(id) ? { ...key, grants: key.grants.filter((granted) => granted !== id) } : key,
    )
  const granted = catalog.datasets.filter(({ id }) => keys.some(({ grants }) => grants.includes(id)))
  const closed = granted.filter(({ id }) => withoutGrant(id).every((key) => !rightsOf(key, catalog).includes(id)))
  if (closed.length === 0) return undefined
  const { id } = random.pick(closed)
  const isInside = ({ datasetId }: { datasetId: string }) => datasetId === id
  const itemIds = new Set(catalog.items.filter(isInside).map((item) => item.id))
  const hide = <Record extends { name: string }>(record: Record) => ({
    ...record,
    name: `${record.name} ${HIDDEN} ${mark}`,
    description: `${HIDDEN} ${mark}`,
  })
  return {
    catalog: {
      datasets: catalog.datasets.map((dataset) => (dataset.id === id ? hide(dataset) : dataset)),
      items: catalog.items.map((item) => (isInside(item) ? hide(item) : item)),
      images: catalog.images.map((image) =>
        itemIds.has(image.itemId) ? { ...image, altText: `${HIDDEN} ${mark}` } : image,
      ),
    },
    keys: withoutGrant(id),
  }
}
