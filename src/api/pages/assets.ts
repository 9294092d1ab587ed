import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { CatalogError } from '../../errors/errors.ts'
import { addRoute } from '../../gateway/http.ts'
import { ResponseBody, sendCacheable } from '../../gateway/reply.ts'
import { readBaseMap } from './base-map.ts'
import { bundlesVersion, readBundled } from './bundles.ts'
import { LIBRARY_FILES, libraryVersions } from './libraries.ts'
import { ISOLATED } from './policy.ts'

/*
 * The scripts, styles and maps that the pages load. Their addresses hold a version, a hash of all content, so a browser keeps
 * them for a year and a new release is loaded at once.
 */

const IMMUTABLE = 'public, max-age=31536000, immutable'

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  map: 'application/json; charset=utf-8',
  mvt: 'application/vnd.mapbox-vector-tile',
}

interface Assets {
  /** The folder of all assets: `assets/` and a version. */
  base: string
  /** Returns the content of an asset by its path below the base, undefined when there is none. */
  read: (path: string) => Promise<string | Buffer> | undefined
}

/** Finds the assets. They are read when a browser first asks for them. */
export function openAssets(): Assets {
  const version = hash('sha256', JSON.stringify([bundlesVersion(), libraryVersions()]), 'hex').slice(0, 12)
  return {
    base: `assets/${version}`,
    read: (path) => LIBRARY_FILES.get(path)?.() ?? readBaseMap(path) ?? readBundled(path),
  }
}

/** Adds the route of the assets. A page of another version (during an upgrade) gets the files of this one, uncached. */
export function addAssetRoute(app: FastifyInstance, assets: Assets, policy: string): void {
  const bodies = new Map<string, Promise<ResponseBody>>()
  addRoute(app, {
    path: '/assets/*',
    needsNoDatabase: true,
    handler: async (request, reply) => {
      const [, version = '', path = ''] = /^\/assets\/([^/?]+)\/([^?]*)/.exec(request.url) ?? []
      const isCurrent = assets.base === `assets/${version}`
      const name = `${isCurrent} ${path}`
      const known = bodies.get(name)
      const body = known ?? readBody(assets, path, isCurrent)
      if (!body) throw new CatalogError('NOT_FOUND', 'There is no such path')
      bodies.set(name, body)
      // A file that could not be read now may be readable later.
      if (!known) body.catch(() => bodies.delete(name))
      return sendCacheable(request, reply.headers({ ...ISOLATED, 'content-security-policy': policy }), await body)
    },
  })
}

function readBody(assets: Assets, path: string, isCurrent: boolean): Promise<ResponseBody> | undefined {
  const type = CONTENT_TYPES[path.split('.').at(-1) ?? '']
  return assets
    .read(path)
    ?.then((content) => new ResponseBody(content, type, isCurrent ? { cacheControl: IMMUTABLE } : {}))
}
