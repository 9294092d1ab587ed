import { MAX_RADIUS_METRES, refined, type View } from '../../data/address.ts'
import { type Codes, type Facet, type ListedItem, NO_CODES } from '../../data/datasets.ts'
import { useLater } from '../../shared/later.ts'
import { distance, fill, t } from '../../shared/text.ts'
import { usePage, ViewLink } from '../context.tsx'
import { PlaceRow } from '../place-row.tsx'

/*
 * What the page proposes where nothing was found.
 */

/** The places that were probably meant, or the one that is nearest to the point of the view. */
export function Proposals({ places }: { places: readonly ListedItem[] }) {
  const { view } = usePage()
  if (view.near) return <Nearest near={view.near} place={places[0]} />
  return (
    <section>
      <p class="actions">
        {view.dataset !== undefined && (
          <ViewLink class="button" to={{ text: view.text }}>
            {t.searchAll}
          </ViewLink>
        )}
        <ViewLink class="button" to={{ dataset: view.dataset }}>
          {t.clearSearch}
        </ViewLink>
      </p>
      {places.length > 0 && (
        <>
          <h2>{t.didYouMean}</h2>
          <ul class="places">
            {places.map((item) => (
              <PlaceRow key={item.id} item={item} keepsText={false} />
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

/** Where the nearest place is, and the radius that has it. */
function Nearest({ near, place }: { near: NonNullable<View['near']>; place: ListedItem | undefined }) {
  const { view, searchNear } = usePage()
  if (!place) {
    return (
      <section>
        <p>{fill(t.noneWithin, { radius: distance(MAX_RADIUS_METRES) })}</p>
        <p>
          <ViewLink class="button" to={refined(view, { near: undefined })}>
            {t.farther}
          </ViewLink>
        </p>
      </section>
    )
  }
  const radius = rounded(place.distance ?? 0)
  return (
    <section>
      <ul class="places">
        <PlaceRow item={place} />
      </ul>
      <p>
        <button type="button" class="button" onClick={() => searchNear({ ...near, radius })}>
          {fill(t.searchWithin, { radius: distance(radius) })}
        </button>
      </p>
    </section>
  )
}

/** The next greater radius in metres with one digit. */
function rounded(metres: number): number {
  const step = 10 ** Math.floor(Math.log10(Math.max(1, metres)))
  return Math.min(MAX_RADIUS_METRES, Math.ceil(metres / step) * step)
}

/** The most letters that differ. */
const MAX_DISTANCE = 2

/** The question with the filter that was probably meant; nothing if the codes are there, or none is like them. */
export function CodeHint({ view, codes }: { view: View; codes: Promise<Codes> }) {
  const { categories, areas } = useLater(codes) ?? NO_CODES
  const category = nearest(view.category, categories)
  const area = nearest(view.area, areas)
  if (!category && !area) return null
  const meant = refined(view, { ...(category && { category: category.code }), ...(area && { area: area.code }) })
  const names = [category, area].flatMap((facet) => (facet ? [facet.label ?? facet.code] : []))
  return (
    <p>
      {t.didYouMean} <ViewLink to={meant}>{names.join(', ')}</ViewLink>?
    </p>
  )
}

function nearest(code: string | undefined, facets: readonly Facet[]): Facet | undefined {
  if (code === undefined || facets.some((facet) => facet.code === code)) return undefined
  const near = facets.map((facet) => ({
    facet,
    distance: Math.min(...[facet.code, facet.label ?? facet.code].map((name) => editDistance(code, name))),
  }))
  return near.filter(({ distance }) => distance <= MAX_DISTANCE).sort((a, b) => a.distance - b.distance)[0]?.facet
}

/** How many letters one must insert, remove or replace (Levenshtein), in any letter case. */
function editDistance(one: string, other: string): number {
  const letters = [...other.toLowerCase()]
  let row = [0, ...letters.map((_, n) => n + 1)]
  for (const letter of one.toLowerCase()) {
    const next = [(row[0] ?? 0) + 1]
    for (const [n, each] of letters.entries()) {
      next.push(Math.min((row[n] ?? 0) + Number(each !== letter), (row[n + 1] ?? 0) + 1, (next[n] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
