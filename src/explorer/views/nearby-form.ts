import { showStatus } from '../map/map-lines.ts'
import { button, element } from '../shared/dom.ts'
import { t } from '../shared/text.ts'
import { DEFAULT_RADIUS_METRES, MAX_RADIUS_METRES, type View } from './address.ts'
import { type Point, pointField } from './point-field.ts'

/*
 * The search around a point: one of the map, the position of the device, or a typed one.
 */

export interface NearbyActions {
  /** Waits for a click on the map. */
  pick: (radius: number) => void
  search: (near: NonNullable<View['near']>) => void
}

/** Creates the form. */
export function nearbyForm({ near }: View, { pick, search }: NearbyActions): HTMLElement {
  const radius = element('input', {
    type: 'number',
    id: 'radius',
    min: 1,
    max: MAX_RADIUS_METRES,
    step: 'any',
    value: near?.radius ?? DEFAULT_RADIUS_METRES,
    required: true,
  })
  const status = element('p', { class: 'soft small', role: 'status' })
  const value = () => (radius.reportValidity() ? radius.valueAsNumber : undefined)
  radius.addEventListener('change', () => {
    const metres = value()
    if (near && metres !== undefined) search({ ...near, radius: metres })
  })
  const withRadius = (action: (metres: number) => void) => () => {
    const metres = value()
    if (metres !== undefined) action(metres)
  }
  /** The position may come when the person has gone on to another view. */
  const searchAround = ({ name, ...point }: Point, metres: number) => {
    if (!status.isConnected) return
    search({ ...point, radius: metres })
    // The first of several places may not be the one that was meant.
    if (name !== undefined) showStatus(t.around(name))
  }
  const here = withRadius((metres) => {
    status.textContent = t.locating
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => searchAround({ latitude: coords.latitude, longitude: coords.longitude }, metres),
      () => {
        status.textContent = t.notLocated
      },
    )
  })
  const typed = pointField(
    (point) => withRadius((metres) => searchAround(point, metres))(),
    (message) => {
      status.textContent = message
    },
  )
  return element(
    'fieldset',
    { class: 'fields' },
    element('legend', { class: 'visually-hidden' }, t.nearby),
    element('label', { for: 'radius' }, t.radius),
    radius,
    typed,
    element(
      'div',
      { class: 'actions' },
      button(t.myLocation, here, { class: 'button' }),
      button(t.pickOnMap, withRadius(pick), { class: 'button' }),
    ),
    status,
  )
}
