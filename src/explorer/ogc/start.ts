import { smallMap } from '../map/small-map.ts'
import { readError, send } from '../shared/api.ts'
import { byId, element } from '../shared/dom.ts'
import { messageOf } from '../shared/error-text.ts'
import { onKeyChange } from '../shared/key.ts'
import { startKeyField } from '../shared/key-field.ts'
import { SERVER } from '../shared/server.ts'
import { safeUrl } from '../views/safe-url.ts'

/*
 * The page of a resource of /ogc: what its JSON says, for a person who opens the address.
 */

interface Link {
  href: string
  rel: string
  type?: string
  title?: string
}

interface Feature {
  id: string
  properties: { name: string; categoryCode: string }
}

interface Resource {
  id?: string
  title?: string
  description?: string
  links?: Link[]
  collections?: Resource[]
  features?: Feature[]
  properties?: Record<string, unknown>
  numberMatched?: number
  conformsTo?: string[]
  info?: { title: string; description: string }
  paths?: object
}

const view = byId('ogc', HTMLElement)

async function show(): Promise<void> {
  const query = new URLSearchParams(location.search)
  query.delete('f')
  const path = (location.origin + location.pathname).slice(SERVER.length)
  const response = await send(`${path}?${query}`, {
    headers: { accept: 'application/geo+json, application/json' },
  })
  if (!response.ok) throw await readError(response)
  view.replaceChildren(...sections(await response.json()))
}

function sections(resource: Resource): HTMLElement[] {
  const { info, title = info?.title, description = info?.description, properties, numberMatched } = resource
  const { links = [], collections = [], features = [], conformsTo = [], paths = {} } = resource
  const [, collection] = /\/collections\/([^/]+)/.exec(location.pathname) ?? []
  const dataset = collection && decodeURIComponent(collection)
  const self = links.find(({ rel }) => rel === 'self')?.href
  const own = self && new URL(self, location.href).origin
  const map = dataset && element('a', { href: `${SERVER}/?dataset=${encodeURIComponent(dataset)}`, class: 'ogc-map' })
  if (map) map.append(smallMap(dataset, AbortSignal.timeout(60_000)), 'Explorer')
  return [
    element('h1', {}, title ?? String(properties?.name ?? dataset ?? 'OGC API Features')),
    ...(description ? [element('p', {}, description)] : []),
    ...(map ? [map] : []),
    ...(numberMatched === undefined
      ? []
      : [element('p', {}, `${numberMatched.toLocaleString()} ${numberMatched === 1 ? 'item' : 'items'}`)]),
    list(
      collections.map(({ id = '', title = id }) => link(`${SERVER}/ogc/collections/${encodeURIComponent(id)}`, title)),
    ),
    list(features.map((feature) => link(`${location.pathname}/${feature.id}`, feature.properties.name))),
    list([...conformsTo, ...Object.keys(paths)].map((text) => element('span', {}, text))),
    ...(properties ? [facts(properties)] : []),
    element('h2', {}, 'Links'),
    list(
      links.map(({ href, rel, type, title }) =>
        element('span', {}, anchor(href, title ?? rel, own), ` ${rel} ${type ?? ''}`),
      ),
    ),
  ]
}

function facts(properties: Record<string, unknown>): HTMLElement {
  const rows = Object.entries(properties).filter(([, value]) => value !== null && value !== '')
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  return element(
    'dl',
    {},
    ...rows.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, text(value))]),
  )
}

function list(entries: HTMLElement[]): HTMLElement {
  return element('ul', {}, ...entries.map((entry) => element('li', {}, entry)))
}

const link = (href: string, text: string) => element('a', { href }, text)

/** A link of the server at `own` stays on the server that the person has opened. It may have several names. */
function anchor(href: string, text: string, own: string | undefined): HTMLElement | string {
  const url = safeUrl(href, location.href)
  if (!url) return text
  return link(url.origin === own ? url.pathname + url.search : url.href, text)
}

function showAgain(): void {
  show().catch((error: unknown) => {
    view.replaceChildren(element('p', { role: 'alert' }, messageOf(error)))
  })
}

startKeyField()
onKeyChange(showAgain)
showAgain()
