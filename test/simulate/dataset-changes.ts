import { type Change, replace, withCatalog, without } from './change.ts'
import { type Dataset, newDataset, newItem, SLUGS, STATUSES, TIERS, VISIBILITIES } from './world.ts'

/** Changes some datasets, often two at once. */
export const updateDatasets: Change = (random, _, state, mark) => {
  if (state.catalog.datasets.length === 0) return undefined
  const chosen = random.some(state.catalog.datasets, 1)
  const datasets = chosen.reduce(
    (all, each) =>
      replace(all, {
        ...each,
        description: mark,
        ...(random.chance(0.3) && { name: `${random.pick(['A', 'B', 'C'])} ${mark}` }),
      }),
    [...state.catalog.datasets],
  )
  return withCatalog(state, { datasets })
}

/** Withdraws or opens a dataset. */
export const changeVisibility: Change = (random, _, state, mark) => {
  if (state.catalog.datasets.length === 0) return undefined
  const dataset = random.pick(state.catalog.datasets)
  const visibility = random.pick(VISIBILITIES)
  const accessTier = visibility === 'paid' ? random.pick(TIERS) : null
  const changed: Dataset = { ...dataset, visibility, accessTier, status: random.pick(STATUSES), description: mark }
  return withCatalog(state, { datasets: replace(state.catalog.datasets, changed) })
}

/** Two datasets exchange their slugs. */
export const exchangeSlugs: Change = (random, _, state) => {
  const [a, b] = random.shuffle(state.catalog.datasets)
  if (!a || !b) return undefined
  const datasets = replace(replace(state.catalog.datasets, { ...a, slug: b.slug }), { ...b, slug: a.slug })
  return withCatalog(state, { datasets })
}

/** Removes a dataset with its items, images and grants. */
export const removeDataset: Change = (random, { datasetIds }, state) => {
  if (state.catalog.datasets.length < datasetIds.length) return undefined
  const { id } = random.pick(state.catalog.datasets)
  const items = state.catalog.items.filter(({ datasetId }) => datasetId !== id)
  const images = state.catalog.images.filter(({ itemId }) => items.some((item) => item.id === itemId))
  const keys = state.keys.map((key) =>
    key.grants.includes(id) ? { ...key, grants: key.grants.filter((grant) => grant !== id) } : key,
  )
  return { catalog: { datasets: without(state.catalog.datasets, id), items, images }, keys }
}

/** Creates a removed dataset again, with some items and perhaps a grant. */
export const createDataset: Change = (random, { datasetIds, itemIds }, state, mark) => {
  const { datasets, items } = state.catalog
  const id = datasetIds.find((each) => !datasets.some((dataset) => dataset.id === each))
  const slug = SLUGS.find((each) => !datasets.some((dataset) => dataset.slug === each))
  if (!id || !slug) return undefined
  const free = itemIds.filter((each) => !items.some((item) => item.id === each))
  const added = random
    .some(free)
    .map((each) => newItem(random, { id: each, datasetId: id, createdDay: itemIds.indexOf(each) }, mark))
  const lucky = random.pick(state.keys)
  return {
    catalog: {
      ...state.catalog,
      datasets: [...datasets, newDataset(random, id, slug, mark)],
      items: [...items, ...added],
    },
    keys: replace(state.keys, random.chance(0.5) ? { ...lucky, grants: [...lucky.grants, id] } : lucky),
  }
}
