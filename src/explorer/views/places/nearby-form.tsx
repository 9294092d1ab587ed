import { useRef, useState } from 'preact/hooks'
import { DEFAULT_RADIUS_METRES, MAX_RADIUS_METRES } from '../../data/address.ts'
import { showStatus } from '../../page/map-lines.tsx'
import { messageOf } from '../../shared/api-error.ts'
import { fill, t } from '../../shared/text.ts'
import { usePage } from '../context.tsx'
import { findPlace, type Point, parseCoordinate } from './point.ts'

/*
 * The search around a point: one of the map, the position of the device, or a typed one.
 */

export function NearbyForm() {
  const { view, searchNear, pick } = usePage()
  const radius = useRef<HTMLInputElement>(null)
  const typed = useRef<HTMLInputElement>(null)
  const [status, say] = useState('')
  /** The position may come when the person has gone on to another view. Then there is no field. */
  const withRadius = (action: (metres: number) => void) => {
    const { current } = radius
    if (current?.reportValidity()) action(current.valueAsNumber)
  }
  const searchAround = ({ name, ...point }: Point) =>
    withRadius((metres) => {
      searchNear({ ...point, radius: metres })
      // The first of several places may not be the one that was meant.
      if (name !== undefined) showStatus(fill(t.around, { name }))
    })
  const goHere = () => {
    say(t.locating)
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude } }) => searchAround({ latitude, longitude }),
      () => say(t.notLocated),
    )
  }
  const goThere = async () => {
    const text = typed.current?.value.trim() ?? ''
    if (text === '') return say(t.typePoint)
    try {
      const point = parseCoordinate(text) ?? (await findPlace(text))
      if (point) searchAround(point)
      else say(fill(t.noSuchPlace, { text }))
    } catch (error) {
      say(messageOf(error))
    }
  }
  return (
    <fieldset class="fields">
      <legend class="visually-hidden">{t.nearby}</legend>
      <label for="radius">{t.radius}</label>
      <input
        ref={radius}
        id="radius"
        type="number"
        min={1}
        max={MAX_RADIUS_METRES}
        step="any"
        required
        defaultValue={String(view.near?.radius ?? DEFAULT_RADIUS_METRES)}
        onChange={() => view.near && withRadius((metres) => view.near && searchNear({ ...view.near, radius: metres }))}
      />
      <form
        class="point"
        onSubmit={(event) => {
          event.preventDefault()
          void goThere()
        }}
      >
        <input
          ref={typed}
          id="near-point"
          autocomplete="off"
          spellcheck={false}
          placeholder={t.pointExample}
          aria-label={t.point}
        />
        <button type="submit" class="button">
          {t.searchThere}
        </button>
      </form>
      <div class="actions">
        <button type="button" class="button" onClick={goHere}>
          {t.myLocation}
        </button>
        <button type="button" class="button" onClick={() => withRadius(pick)}>
          {t.pickOnMap}
        </button>
      </div>
      <p class="soft small" role="status">
        {status}
      </p>
    </fieldset>
  )
}
