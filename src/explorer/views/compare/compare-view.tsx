import { isSearch, type View } from '../../data/address.ts'
import { type Dataset, findDataset, type ListedItem } from '../../data/datasets.ts'
import { runParts } from '../../shared/api.ts'
import { useLater } from '../../shared/later.ts'
import { fill, number, places, t } from '../../shared/text.ts'
import { BackLine, usePage, ViewLink } from '../context.tsx'
import { DeveloperPanel } from '../developer/developer-panel.tsx'
import { Swatch, swatchOf } from '../legend/legend-box.tsx'
import { PlaceRow } from '../place-row.tsx'
import { FilterChips } from '../places/filters.tsx'
import { listOf } from '../places/request.ts'
import { Reason } from '../problem.tsx'
import { compareRequest, partOf } from './request.ts'

/*
 * Two or more datasets side by side: each with its number of places, its credit line and its first places, or those that a search has found.
 */

const SHOWN = 10
const MAX_CATEGORIES = 3

/** The places of a dataset, or why there are none. */
export type Result = { items: readonly ListedItem[]; total: number } | { error: unknown }

/** `results` are those of each dataset of the view, in its order. */
export function CompareView({ results }: { results: readonly Result[] }) {
  const { view } = usePage()
  return (
    <div class="view">
      <BackLine to={{}} label={t.backToDatasets} />
      <h1 tabIndex={-1}>{t.compared}</h1>
      <FilterChips />
      <div class="compared">
        {(view.compared ?? []).map((slug, n) => {
          const result = results[n] ?? { items: [], total: 0 }
          return 'error' in result ? (
            <FailedColumn key={slug} slug={slug} error={result.error} />
          ) : (
            <Column key={slug} slug={slug} {...result} />
          )
        })}
      </div>
      <DeveloperPanel view={view} />
    </div>
  )
}

function FailedColumn({ slug, error }: { slug: string; error: unknown }) {
  const { view } = usePage()
  const others = (nearest: string) => ({
    ...view,
    compared: view.compared?.map((each) => (each === slug ? nearest : each)),
  })
  return (
    <section>
      <h2 dir="auto">{slug}</h2>
      <Reason error={error} viewOf={others} />
    </section>
  )
}

function Column({ slug, items, total }: { slug: string; items: readonly ListedItem[]; total: number }) {
  const { view, datasets, legend } = usePage()
  const dataset = findDataset(datasets, { dataset: slug })
  const colours = useLater(legend)
  const colour = dataset && colours && swatchOf(colours, { datasetId: dataset.id, categoryCode: '' })
  const own = { ...view, compared: undefined, dataset: slug, at: undefined }
  return (
    <section>
      <h2>
        {colour && <Swatch colour={colour} />}
        <ViewLink to={own}>{dataset?.name ?? slug}</ViewLink>
      </h2>
      <p>
        <strong>{places(total)}</strong>
      </p>
      {/* The totals are those of the whole dataset. */}
      {!isSearch(view) && !view.near && <TopCategories dataset={dataset?.id ?? ''} />}
      <p class="soft small" dir="auto">
        {dataset?.attribution}
      </p>
      <ul class="places">
        {items.slice(0, SHOWN).map((item) => (
          <PlaceRow key={item.id} item={item} />
        ))}
      </ul>
      {total > SHOWN && (
        <p>
          <ViewLink to={own}>{fill(t.allPlaces, { places: places(total) })}</ViewLink>
        </p>
      )}
    </section>
  )
}

/** The most frequent categories of a dataset with their totals. */
function TopCategories({ dataset }: { dataset: string }) {
  const { codesOf } = usePage()
  const shown = useLater(codesOf(dataset))?.categories.slice(0, MAX_CATEGORIES) ?? []
  return (
    <p class="small" dir="auto">
      {shown.map(({ code, label, total }) => `${label ?? code}\u00a0${number(total)}`).join(' · ')}
    </p>
  )
}

/** Reads the lists of the datasets of a comparison. What is wrong with one is said in its column, unless there is no other. */
export async function readCompared(
  view: View,
  compared: readonly string[],
  datasets: readonly Dataset[],
  signal: AbortSignal,
): Promise<Result[]> {
  const request = compareRequest(view, compared)
  const isThere = (dataset: string) => findDataset(datasets, { dataset }) !== undefined
  const { data, errors } = await runParts<NonNullable<typeof request.data>>(request.query, request.variables, signal)
  return compared.map((slug, n) => {
    const part = data?.[partOf(n)]
    const error = errors.get(partOf(n)) ?? [...errors.values()][0]
    if (!part) {
      if (isThere(slug) || !compared.some(isThere)) throw error
      return { error }
    }
    const { nodes: items, total = 0 } = listOf(part)
    return { items, total }
  })
}
