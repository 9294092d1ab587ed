import { MAX_RADIUS_METRES, refined, type View } from '../../data/address.ts'
import type { ListedItem } from '../../data/datasets.ts'
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
