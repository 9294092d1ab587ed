import { type ComponentChildren, Fragment, render, toChildArray } from 'preact'
import { request } from '../shared/api.ts'
import { messageOf } from '../shared/api-error.ts'
import { byId } from '../shared/element.ts'
import { onKeyChange } from '../shared/key.ts'
import { type Member, MemberList } from '../shared/members.tsx'
import { safeUrl } from '../shared/safe-url.ts'
import { SERVER } from '../shared/server.ts'
import { startShell } from '../shared/shell.tsx'
import { SmallMap } from '../views/datasets/small-map.tsx'

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

const page = byId('ogc', HTMLElement)

async function read(): Promise<Resource> {
  const query = new URLSearchParams(location.search)
  query.delete('f')
  const path = (location.origin + location.pathname).slice(SERVER.length)
  const headers = { accept: 'application/geo+json, application/json' }
  return (await request(`${path}?${query}`, { headers })).json()
}

function ResourceView({ resource }: { resource: Resource }) {
  const { info, title = info?.title, description = info?.description, properties, numberMatched } = resource
  const { links = [], collections = [], features = [], conformsTo = [], paths = {} } = resource
  const [, collection] = /\/collections\/([^/]+)/.exec(location.pathname) ?? []
  const dataset = collection && decodeURIComponent(collection)
  const self = links.find(({ rel }) => rel === 'self')?.href
  const own = self && new URL(self, location.href).origin
  return (
    <>
      <h1>{title ?? String(properties?.name ?? dataset ?? 'OGC API Features')}</h1>
      {description && <p>{description}</p>}
      {dataset && (
        <a href={`${SERVER}/?dataset=${encodeURIComponent(dataset)}`} class="ogc-map">
          <SmallMap dataset={dataset} signal={AbortSignal.timeout(60_000)} />
          Explorer
        </a>
      )}
      {numberMatched !== undefined && (
        <p>{`${numberMatched.toLocaleString()} ${numberMatched === 1 ? 'item' : 'items'}`}</p>
      )}
      <List>
        {collections.map(({ id = '', title: name = id }) => (
          <a key={id} href={`${SERVER}/ogc/collections/${encodeURIComponent(id)}`}>
            {name}
          </a>
        ))}
      </List>
      <List>
        {features.map(({ id, properties: { name } }) => (
          <a key={id} href={`${location.pathname}/${id}`}>
            {name}
          </a>
        ))}
      </List>
      <List>{[...conformsTo, ...Object.keys(paths)]}</List>
      {properties && <MemberList class="" members={Object.entries(properties).map(memberOf)} />}
      <h2>Links</h2>
      <List>
        {links
          // A person has it open.
          .filter(({ rel }) => rel !== 'self')
          .map((link) => (
            <Fragment key={link.href}>
              <Anchor link={link} own={own} /> {link.rel} {link.type}
            </Fragment>
          ))}
      </List>
    </>
  )
}

function memberOf([name, value]: [string, unknown]): Member {
  return [name, value === null || typeof value === 'string' ? value : JSON.stringify(value)]
}

function List({ children }: { children: ComponentChildren }) {
  const entries = toChildArray(children).map((entry, n) => <li key={n}>{entry}</li>)
  return <ul>{entries}</ul>
}

/** A link of the server at `own` stays on the server that the person has opened. It may have several names. */
function Anchor({ link: { href, rel, title }, own }: { link: Link; own: string | undefined }) {
  const url = safeUrl(href, location.href)
  if (!url) return <>{title ?? rel}</>
  return <a href={url.origin === own ? url.pathname + url.search : url.href}>{title ?? rel}</a>
}

function show(): void {
  read().then(
    (resource) => render(<ResourceView resource={resource} />, page),
    (error: unknown) => render(<p role="alert">{messageOf(error)}</p>, page),
  )
}

startShell()
onKeyChange(show)
show()
