import type { ComponentChildren } from 'preact'
import { isSearch, type View } from '../../data/address.ts'
import type { Codes, ListedItem } from '../../data/datasets.ts'
import { DEFAULT_TABLE } from '../../data/table-columns.ts'
import { isNarrow } from '../../page/narrow.ts'
import { useLater } from '../../shared/later.ts'
import { distance, fill, places, t } from '../../shared/text.ts'
import { BackLine, usePage, ViewLink } from '../context.tsx'
import { DeveloperPanel, EmbedButton } from '../developer/developer-panel.tsx'
import { PlaceRow } from '../place-row.tsx'
import { ControlRow } from './controls.tsx'
import { ExportLinks } from './export-links.tsx'
import { FilterChips, FilterForm } from './filters.tsx'
import { NearbyForm } from './nearby-form.tsx'
import { CodeHint, Proposals } from './proposals.tsx'

/*
 * The list of places: of a dataset, filtered, near a point, or found by a search.
 */

export interface PlacesProps {
  /** Those of all pages that were read. */
  items: readonly ListedItem[]
  total: Promise<number>
  /** The number of places there are at least. */
  least: number
  /** The codes of the dataset as they are now, for the filters. */
  codes: Promise<Codes>
  /** What was probably meant, or the nearest place, if nothing was found. */
  suggestions?: readonly ListedItem[] | undefined
  /** The table that stands in for the list. */
  table?: ComponentChildren
  more?: () => void
}

export function PlacesView({ items, total, least, codes, suggestions, table, more }: PlacesProps) {
  const { view, dataset } = usePage()
  const known = useLater(total)
  const rest = (known ?? 0) - items.length
  return (
    <div class="view">
      <BackLine to={{}} label={t.backToDatasets}>
        <EmbedButton view={view} />
      </BackLine>
      {/* A screen reader reads the number of places with the heading, which gets the focus. */}
      <h1 tabIndex={-1} dir="auto" aria-describedby={isSearch(view) ? 'search-status' : 'total'}>
        {dataset?.name ?? view.dataset ?? t.allDatasetsTitle}
      </h1>
      <FilterChips />
      {!isSearch(view) && dataset?.description && (
        <p class="summary" dir="auto">
          {dataset.description}
        </p>
      )}
      <Controls codes={codes} />
      {/* The search form shows the number of found places. */}
      {!isSearch(view) && (
        <p class="soft" id="total" role="status">
          {countText(view, known ?? least, known === undefined, suggestions?.[0])}
        </p>
      )}
      {least === 0 && <CodeHint view={view} codes={codes} />}
      {suggestions && <Proposals places={suggestions} />}
      {table ?? (
        <ol class="places">
          {items.map((item) => (
            <PlaceRow key={item.id} item={item} />
          ))}
        </ol>
      )}
      {rest > 0 && !table && (
        <button type="button" class="button" onClick={more}>
          {fill(t.more, { rest })}
        </button>
      )}
      <DeveloperPanel view={view} />
    </div>
  )
}

function Controls({ codes }: { codes: Promise<Codes> }) {
  const { view, dataset, codesOf } = usePage()
  const controls = {
    ...(view.dataset !== undefined && { filters: <FilterForm reads={[codesOf(view.dataset), codes]} /> }),
    ...(!isSearch(view) && { nearby: <NearbyForm /> }),
    ...(dataset && !isSearch(view) && { download: <ExportLinks dataset={dataset} view={view} /> }),
  }
  return (
    <ControlRow controls={controls} first={view.near && !isNarrow() ? 'nearby' : undefined}>
      <ViewChoice />
    </ControlRow>
  )
}

/** The same places as a list or a table, or the page of their dataset. */
export function ViewChoice() {
  const { view, dataset } = usePage()
  const { isAbout, table } = view
  const choice = (label: string, to: View, isCurrent: boolean) =>
    isCurrent ? (
      <span class="button" aria-current="true">
        {label}
      </span>
    ) : (
      <ViewLink class="button" to={to}>
        {label}
      </ViewLink>
    )
  const places = { ...view, isAbout: undefined }
  return (
    <span class="segments">
      {choice(t.asList, { ...places, table: undefined }, !table && !isAbout)}
      {choice(t.asTable, { ...places, table: table ?? DEFAULT_TABLE }, table !== undefined && !isAbout)}
      {dataset && choice(t.about, { dataset: dataset.slug, isAbout: true }, isAbout === true)}
    </span>
  )
}

function countText(view: View, total: number, isLeast: boolean, nearest: ListedItem | undefined): string {
  const { near, category, area, table } = view
  const isFiltered = category !== undefined || area !== undefined
  const found = { places: places(total, isLeast) }
  if (near) {
    const radius = distance(near.radius)
    if (total > 0) return fill(isFiltered ? t.withinFiltered : t.within, { ...found, radius })
    if (nearest?.distance === undefined) return fill(t.noneNear, { radius })
    return fill(t.nearestIs, { radius, nearest: distance(nearest.distance) })
  }
  if (total === 0) return isFiltered ? t.noMatch : t.empty
  if (isFiltered) return fill(t.filtered, found)
  return table ? found.places : fill(t.byName, found)
}
