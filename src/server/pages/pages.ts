import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ResponseBody, sendCacheable } from '../reply.ts'
import { addRoute } from '../route.ts'
import { addAssetRoute, openAssets } from './assets.ts'
import { EXAMPLES, VARIABLES } from './graphiql-examples.ts'
import { POLICIES } from './policy.ts'
import { addSamplePictureRoutes } from './sample-pictures.ts'

/*
 * The pages for people: the explorer, GraphiQL and the API reference. They open without a key and load nothing from another
 * origin.
 */

const HTML = 'text/html; charset=utf-8'

export interface Pages {
  /** Sends the GraphiQL page; its path is shared with the GraphQL API. */
  sendGraphiql: (request: FastifyRequest, reply: FastifyReply) => void | Promise<void>
}

/** Adds /, /docs and the assets of the pages. */
export function addPages(app: FastifyInstance): Pages {
  const assets = openAssets()
  addAssetRoute(app, assets)
  addSamplePictureRoutes(app)
  const page = (name: keyof typeof POLICIES, data: object = {}) => {
    const body = new ResponseBody(renderPage(name, assets.base, data), HTML)
    return (request: FastifyRequest, reply: FastifyReply) =>
      sendCacheable(request, reply.header('content-security-policy', POLICIES[name]), body)
  }
  addRoute(app, { path: '/', methods: ['GET'], handler: page('explorer') })
  addRoute(app, { path: '/docs', methods: ['GET'], handler: page('reference') })
  return { sendGraphiql: page('graphiql', { examples: EXAMPLES, variables: VARIABLES }) }
}

/**
 * Fills a template of the folder html: `{{assets}}` is the folder of the assets, `{{header}}` the bar that all pages share, and
 * `{{data}}` JSON for the page's script.
 */
function renderPage(name: string, assetBase: string, data: object): string {
  const template = (file: string) => readFileSync(new URL(`html/${file}.html`, import.meta.url), 'utf8')
  const json = JSON.stringify(data).replaceAll('&', '\\u0026').replaceAll('<', '\\u003c')
  return template(name)
    .replace('{{header}}', () => template('header').replace(`data-page="${name}"`, 'aria-current="page"'))
    .replace('{{data}}', () => json)
    .replaceAll('{{assets}}', assetBase)
}
