import { smallMap } from '../explorer/small-map.ts'
import { readError, send } from '../shared/api.ts'
import { byId, element } from '../shared/dom.ts'
import { onKeyChange } from '../shared/key.ts'
import { startKeyField } from '../shared/key-field.ts'
import { translatePage } from '../shared/text.ts'

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
}

const view = byId('ogc', HTMLElement)

async function show(): Promise<void> {
  const response = await send(location.pathname + location.search.replace(/[?&]f=html\b/, ''), {
    headers: { accept: 'application/geo+json, application/json' },
  })
  if (!response.ok) throw await readError(response)
  view.replaceChildren(...sections(await response.json()))
}

function sections(resource: Resource): HTMLElement[] {
  const { title, description, links = [], collections = [], features = [], properties, numberMatched } = resource
  const [, collection] = /\/collections\/([^/]+)/.exec(location.pathname) ?? []
  const dataset = collection && decodeURIComponent(collection)
  const map = dataset && element('a', { href: `/?dataset=${encodeURIComponent(dataset)}`, class: 'ogc-map' })
  if (map) map.append(smallMap(dataset, AbortSignal.timeout(60_000)), 'Explorer')
  return [
    element('h1', {}, title ?? String(properties?.name ?? dataset ?? 'OGC API Features')),
    ...(description ? [element('p', {}, description)] : []),
    ...(map ? [map] : []),
    ...(numberMatched === undefined ? [] : [element('p', {}, `${numberMatched.toLocaleString()} items`)]),
    list(collections.map(({ id = '', title = id }) => anchor(`/ogc/collections/${encodeURIComponent(id)}`, title))),
    list(features.map((feature) => anchor(`${location.pathname}/${feature.id}`, feature.properties.name))),
    ...(properties ? [facts(properties)] : []),
    element('h2', {}, 'Links'),
    list(links.map(({ href, rel, type, title }) => anchor(href, title ?? rel, ` ${rel} ${type ?? ''}`))),
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

/** Links of this server stay on the server that the person has opened. */
function anchor(href: string, text: string, note = ''): HTMLElement {
  const url = new URL(href, location.href)
  return element('span', {}, element('a', { href: url.pathname + url.search }, text), note)
}

function showAgain(): void {
  show().catch((error: unknown) => {
    view.replaceChildren(element('p', { role: 'alert' }, error instanceof Error ? error.message : String(error)))
  })
}

translatePage()
startKeyField()
onKeyChange(showAgain)
showAgain()
