import { formatAddress, type View } from '../../data/address.ts'
import { tileSources } from '../../data/tile-sources.ts'

/*
 * A view on a map of one's own page, as text to copy: a frame, or a page with MapLibre. docs/embed.md has the same lines (test/browser/embed.test.ts).
 */

/** The key stays open: that of the explorer works on every page, and everybody could read it in this one. */
const OWN_KEY = 'dck_...'

/** Returns the command that makes such a key, and prints its id too. */
export const embedKeyCommand = ({ dataset }: View) =>
  `npx dataset-catalog keys create --name embedded-map --dataset ${dataset} --rate-limit 6000 --origin https://maps.example`

/** Returns a frame with the map of a view. */
export function embedFrame(view: View, server: string): string {
  const query = formatAddress({ ...view, table: undefined }).replaceAll('&', '&amp;')
  return `<iframe src="${server}/embed/KEY_ID${query}#key=${OWN_KEY}"
  title="Map of ${view.dataset}" width="100%" height="450" style="border: 0" loading="lazy" allow="fullscreen"></iframe>
`
}

/** Returns the page with the places of a dataset and of its filters: land, numbers, popups, credit and extent. */
export function embedPage(view: View, server: string): string {
  const id = JSON.stringify(view.dataset)
  const [tiles] = tileSources(view, 'categoryCode', false).map(({ template }) => template)
  return `<!doctype html>
<link rel="stylesheet" href="/maplibre-gl/maplibre-gl.css">
<div id="map" style="height: 400px"></div>
<script type="module">
import { Map, Popup } from '/maplibre-gl/maplibre-gl.mjs'
const catalog = '${server}'
const headers = { Authorization: 'Bearer ${OWN_KEY}' }
const read = async (path) => (await fetch(catalog + path, { headers })).json()
const query = '{ dataset(id: ${id}) { attribution extent { west south east north } } }'
const { attribution, extent } = (await read(\`/graphql?query=\${encodeURIComponent(query)}\`)).data.dataset
const { west, south, east, north } = extent
const map = new Map({
  container: 'map',
  style: 'https://tiles.openfreemap.org/styles/positron',
  bounds: [west, south, west > east ? east + 360 : east, north],
  fitBoundsOptions: { padding: 40, maxZoom: 14 },
  // The server of the land never gets the key.
  transformRequest: (url) => (url.startsWith(\`\${catalog}/\`) ? { url, headers } : { url }),
})
await map.once('load')
const tiles = [\`\${catalog}${tiles}\`]
map.addSource('places', { type: 'vector', tiles, maxzoom: 18, attribution })
const radius = ['interpolate', ['linear'], ['ln', ['coalesce', ['get', 'total'], 1]], 0, 5, 12, 26]
const layer = { source: 'places', 'source-layer': 'items' }
map.addLayer({ ...layer, id: 'dots', type: 'circle', paint: { 'circle-color': '#c2410c', 'circle-radius': radius } })
map.addLayer({
  ...layer,
  id: 'numbers',
  type: 'symbol',
  layout: { 'text-field': ['to-string', ['get', 'total']], 'text-font': ['Noto Sans Regular'], 'text-size': 11 },
  paint: { 'text-color': '#ffffff' },
})
map.on('click', 'dots', async ({ lngLat, features: [{ properties }] }) => {
  if (properties.total) return map.easeTo({ center: lngLat, zoom: map.getZoom() + 2 })
  const { data } = await read(\`/v1/dataset-items/\${properties.id}\`)
  new Popup().setLngLat(lngLat).setText(\`\${data.name} · \${data.streetAddress}\`).addTo(map)
})
</script>
`
}
