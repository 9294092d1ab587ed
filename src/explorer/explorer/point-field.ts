import { runGraphQL } from '../shared/api.ts'
import { button, element } from '../shared/dom.ts'

/*
 * A point for a nearby search, typed as a coordinate or as the name of a place.
 */

interface Point {
  latitude: number
  longitude: number
}

/** Parses `latitude, longitude` in decimal degrees, undefined if the text is something else. */
export function parseCoordinate(text: string): Point | undefined {
  const match = /^\s*([+-]?\d+(?:\.\d+)?)[\s,;]+([+-]?\d+(?:\.\d+)?)\s*$/.exec(text)
  const [latitude, longitude] = (match ?? []).slice(1).map(Number)
  if (latitude === undefined || longitude === undefined) return undefined
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : undefined
}

/** Creates the field and its button. `choose` gets the point; `say` gets what is wrong with the text. */
export function pointField(choose: (point: Point) => void, say: (message: string) => void): HTMLElement[] {
  const input = element('input', {
    id: 'near-point',
    class: 'wide',
    autocomplete: 'off',
    spellcheck: false,
    placeholder: '37.58, 126.98 or a name',
    'aria-label': 'Coordinate or name of a place',
  })
  const go = async () => {
    const text = input.value.trim()
    if (text === '') return say('Type a coordinate such as 37.58, 126.98, or the name of a place.')
    try {
      const point = parseCoordinate(text) ?? (await findPlace(text))
      if (point) choose(point)
      else say(`No place with “${text}” in its name.`)
    } catch (error) {
      say(error instanceof Error ? error.message : String(error))
    }
  }
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    void go()
  })
  return [input, button('Search there', () => void go(), { class: 'button' })]
}

/** Finds the position of the first place that a search by name gives. */
async function findPlace(text: string): Promise<Point | undefined> {
  const { searchItems } = await runGraphQL<{ searchItems: { nodes: { latitude: string; longitude: string }[] } }>(
    'query Place($text: String) { searchItems(text: $text, limit: 1) { nodes { latitude longitude } } }',
    { text },
  )
  const [place] = searchItems.nodes
  return place && { latitude: Number(place.latitude), longitude: Number(place.longitude) }
}
