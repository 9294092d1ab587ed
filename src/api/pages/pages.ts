import { readdirSync, readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FindKeyOrigins } from '../../auth/origins.ts'
import { EXPORT_FORMATS, mediaTypeOf } from '../../catalog/export-formats.ts'
import type { BaseMap } from '../../config/base-maps.ts'
import { addRoute } from '../../gateway/http.ts'
import { ResponseBody, sendCacheable } from '../../gateway/reply.ts'
import { addAssetRoute, openAssets } from './assets.ts'
import { addBaseMapFileRoute, BASE_MAP_PATH } from './base-map-file.ts'
import { addEmbedRoute } from './embed.ts'
import { assetPolicy, policiesOf } from './policy.ts'

/*
 * The pages for people: the explorer, GraphiQL and the API reference. They open without a key and load nothing from another
 * origin.
 */

const HTML = 'text/html; charset=utf-8'

/** The example queries of GraphiQL, for the sample data: one for each feature of the schema. Each begins with a comment. */
export const EXAMPLES = readHtml('examples.graphql')
  .trimEnd()
  .split(/\n\n(?=# )/)
  .map((query) => `${query}\n`)

/** The variables of the examples, by the name of the operation. */
const VARIABLES: Readonly<Record<string, object>> = {
  Compare: { one: 'seoul-landmarks', other: 'world-airports', limit: 2 },
  Connection: { first: 5, after: null },
  Nearby: { latitude: 37.5796, longitude: 126.977, radius: 2000 },
}

export interface Pages {
  /** Sends the GraphiQL page; its path is shared with the GraphQL API. */
  sendGraphiql: (request: FastifyRequest, reply: FastifyReply) => void | Promise<void>
  /** Sends the page of a resource of /ogc, whose path is shared with its JSON. */
  sendOgc: (request: FastifyRequest, reply: FastifyReply) => void | Promise<void>
}

interface PageOptions {
  baseMap?: BaseMap | undefined
  /** Whom to ask for a key. */
  contact?: string | undefined
  /** The key of visitors without one. */
  publicKey?: string | undefined
  findKeyOrigins: FindKeyOrigins
}

/** Adds /, /docs, /embed, the assets of the pages, and /llms.txt, which tells agents what the server has (https://llmstxt.org). */
export function addPages(app: FastifyInstance, { baseMap, contact, publicKey, findKeyOrigins }: PageOptions): Pages {
  const origin = baseMap && 'url' in baseMap ? new URL(baseMap.url).origin : undefined
  const policies = policiesOf(origin)
  const assets = openAssets()
  addAssetRoute(app, assets, assetPolicy(origin))
  if (baseMap?.kind === 'pmtiles') addBaseMapFileRoute(app, baseMap.path)
  addSamplePictureRoutes(app)
  const render = (name: string, data: object) => {
    const text = renderPage(name, assets.base, data)
    const bodies = new Map<string, ResponseBody>()
    return ({ url }: FastifyRequest) => {
      const root = rootFrom(url)
      const body = bodies.get(root) ?? new ResponseBody(text.replaceAll('{{root}}', root), HTML)
      bodies.set(root, body)
      return body
    }
  }
  const page = (name: keyof typeof policies, data: object = {}) => {
    const bodyOf = render(name, data)
    return (request: FastifyRequest, reply: FastifyReply) =>
      sendCacheable(request, reply.header('content-security-policy', policies[name]), bodyOf(request))
  }
  const formats = EXPORT_FORMATS.map(({ name, title, contentType }) => ({
    ...{ name, title },
    mediaType: mediaTypeOf(contentType),
  }))
  addRoute(app, {
    path: '/',
    needsNoDatabase: true,
    handler: page('explorer', { baseMap: shownBaseMap(baseMap), contact, formats, publicKey }),
  })
  addRoute(app, { path: '/docs', needsNoDatabase: true, handler: page('reference') })
  addEmbedRoute(app, {
    bodyOf: render('embed', { baseMap: shownBaseMap(baseMap) }),
    baseMapOrigin: origin,
    findKeyOrigins,
  })
  const guide = new ResponseBody(readHtml('llms.txt'), 'text/plain; charset=utf-8')
  addRoute(app, {
    path: '/llms.txt',
    needsNoDatabase: true,
    handler: (request, reply) => sendCacheable(request, reply, guide),
  })
  return {
    sendGraphiql: page('graphiql', { examples: EXAMPLES, variables: VARIABLES }),
    sendOgc: page('ogc', { publicKey }),
  }
}

/** Drawings made for this project, under its licence. */
const PICTURES = new URL('../../sample/pictures/', import.meta.url)

/** Adds a route for each picture of the sample datasets. They are public: a page shows them in an <img>, which sends no key. */
function addSamplePictureRoutes(app: FastifyInstance): void {
  for (const name of readdirSync(PICTURES)) {
    const body = new ResponseBody(readFileSync(new URL(name, PICTURES)), 'image/svg+xml')
    addRoute(app, {
      path: `/sample/${name}`,
      needsNoDatabase: true,
      handler: (request, reply) => sendCacheable(request, reply, body),
    })
  }
}

/** The root of the gateway, relative to the address of a page: a proxy may have it below any path. */
function rootFrom(url: string): string {
  const [path = ''] = url.split(/[?#]/)
  return '../'.repeat(path.split('/').length - 2) || './'
}

/** The base map as the explorer loads it. The path of a file stays here. */
function shownBaseMap(baseMap: BaseMap | undefined): object | undefined {
  return baseMap?.kind === 'pmtiles' ? { kind: baseMap.kind, url: `.${BASE_MAP_PATH}` } : baseMap
}

/**
 * Fills a template of the folder html: `{{assets}}` is the folder of the assets, `{{header}}` the bar that pages share, `{{map}}` the
 * map with what lies on it, and `{{data}}` JSON for the page's script. `{{root}}` is left.
 */
function renderPage(name: string, assetBase: string, data: object): string {
  const template = (file: string) => readHtml(`${file}.html`)
  const json = JSON.stringify(data).replaceAll('&', '\\u0026').replaceAll('<', '\\u003c')
  return template(name)
    .replace('{{header}}', () => template('header').replace(`data-page="${name}"`, 'aria-current="page"'))
    .replace('{{map}}', () => template('map'))
    .replace('{{data}}', () => json)
    .replaceAll('{{assets}}', `{{root}}${assetBase}`)
}

function readHtml(file: string): string {
  return readFileSync(new URL(`html/${file}`, import.meta.url), 'utf8')
}
