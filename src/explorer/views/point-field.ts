import { runGraphQL } from '../shared/api.ts'
import { button, element } from '../shared/dom.ts'
import { messageOf } from '../shared/error-text.ts'
import { t } from '../shared/text.ts'

/*
 * A point for a nearby search, typed as a coordinate or as the name of a place.
 */

export interface Point {
  latitude: number
  longitude: number
  /** The name of the place there, if a name was typed. */
  name?: string
}

/** Parses `latitude, longitude` in decimal degrees, undefined if the text is something else. */
export function parseCoordinate(text: string): Point | undefined {
  const match = /^\s*([+-]?\d+(?:\.\d+)?)[\s,;]+([+-]?\d+(?:\.\d+)?)\s*$/.exec(text)
  const [latitude, longitude] = (match ?? []).slice(1).map(Number)
  if (latitude === undefined || longitude === undefined) return undefined
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : undefined
}

/** Creates the field and its button. `choose` gets the point; `say` gets what is wrong with the text. */
export function pointField(choose: (point: Point) => void, say: (message: string) => void): HTMLElement {
  const input = element('input', {
    id: 'near-point',
    autocomplete: 'off',
    spellcheck: false,
    placeholder: t.pointExample,
    'aria-label': t.point,
  })
  const go = async () => {
    const text = input.value.trim()
    if (text === '') return say(t.typePoint)
    try {
      const point = parseCoordinate(text) ?? (await findPlace(text))
      if (point) choose(point)
      else say(t.noSuchPlace(text))
    } catch (error) {
      say(messageOf(error))
    }
  }
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    void go()
  })
  return element(
    'div',
    { class: 'point' },
    input,
    button(t.searchThere, () => void go(), { class: 'button' }),
  )
}

interface FoundPlace {
  name: string
  latitude: string
  longitude: string
}

/** Finds the first place of a search by name or, if there is none, the one that was probably meant. */
async function findPlace(text: string): Promise<Point | undefined> {
  const data = await runGraphQL<{ searchItems: { nodes: FoundPlace[] }; suggestItems: FoundPlace[] }>(
    `query Place($text: String!) {
  searchItems(text: $text, limit: 1) { nodes { name latitude longitude } }
  suggestItems(text: $text, limit: 1) { name latitude longitude }
}`,
    { text },
  )
  const [place] = [...data.searchItems.nodes, ...data.suggestItems]
  return place && { name: place.name, latitude: Number(place.latitude), longitude: Number(place.longitude) }
}
