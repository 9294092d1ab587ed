import Ajv from 'ajv'
import addFormats from 'ajv-formats'
import { expect } from 'vitest'
import { startApp, type TestApp } from './app.ts'

/*
 * Reads OGC API Features as a client does: by links.
 */

export interface OgcLink {
  href: string
  rel: string
  type: string
}

/** A response, and its body parsed. */
export interface OgcResponse {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert its content
  body: any
}

/** Sends a GET with the key, or with the given headers. `address` is a path or an absolute address. */
export async function getOgc(t: TestApp, address: string, headers: Record<string, string> = {}): Promise<OgcResponse> {
  const response = await fetch(new URL(address, t.url), { headers: { authorization: `Bearer ${t.key}`, ...headers } })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
}

export const CRS84 = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84'
export const GEOJSON = 'application/geo+json'
export const ITEMS = '/ogc/collections/seoul/items'

/** An application, and its API definition. */
export interface OgcApp {
  t: TestApp
  // biome-ignore lint/suspicious/noExplicitAny: a document of any form
  api: any
  get: (address: string, headers?: Record<string, string>) => Promise<OgcResponse>
  /** Checks a document with a schema of the API definition. */
  check: (name: string, document: unknown) => void
}

/** Starts the application and reads its API definition. */
export async function startOgc(): Promise<OgcApp> {
  const t = await startApp()
  const get = (address: string, headers?: Record<string, string>) => getOgc(t, address, headers)
  const { body: api } = await get('/ogc/api')
  return { t, api, get, check: (name, document) => checkDocument(api, name, document) }
}

/** The links of a document with a relation. */
export function linksOf(body: { links: OgcLink[] }, rel: string): OgcLink[] {
  return body.links.filter((link) => link.rel === rel)
}

/** Reads all pages by their `next` links. `between` runs before each page except the first. Returns the pages. */
export async function readPages(
  t: TestApp,
  address: string,
  between: (page: number) => Promise<void> = async () => {},
) {
  const pages: OgcResponse['body'][] = []
  for (let next: string | undefined = address; next !== undefined; ) {
    if (pages.length > 0) await between(pages.length)
    const { status, body }: OgcResponse = await getOgc(t, next)
    expect([next, status]).toEqual([next, 200])
    pages.push(body)
    next = linksOf(body, 'next')[0]?.href
  }
  return pages
}

/** The ids of the features of pages. */
export function idsOf(pages: { features: { id: string }[] }[]): string[] {
  return pages.flatMap(({ features }) => features.map(({ id }) => id))
}

function checkDocument(api: { components: unknown }, name: string, document: unknown): void {
  const ajv = new Ajv.default({ strict: false })
  addFormats.default(ajv)
  // OpenAPI 3.0 says `nullable`, JSON Schema has the type null.
  const text = JSON.stringify(api.components).replace(
    /"type":"(\w+)"((?:,"format":"[^"]*")?),"nullable":true/g,
    '"type":["$1","null"]$2',
  )
  ajv.addSchema({ $id: 'api', components: JSON.parse(text) })
  const isValid = ajv.validate({ $ref: `api#/components/schemas/${name}` }, document)
  expect([name, isValid, ajv.errorsText()]).toEqual([name, true, 'No errors'])
}
