/*
 * The Content Security Policy (Level 3) of the pages. They run only scripts that are files of this server, and send requests
 * only to this server.
 */

const COMMON = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'connect-src': "'self'",
  'img-src': "'self' data:",
  'base-uri': "'none'",
  'form-action': "'none'",
}

/** Only pages of these origins may show the page in a frame. */
const policy = (more: Record<string, string>, framedBy: readonly string[] = []) =>
  Object.entries({ ...COMMON, ...more, 'frame-ancestors': framedBy.join(' ') || "'none'" })
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')

const connectTo = (origin?: string) => `'self'${origin === undefined ? '' : ` ${origin}`}`

/** The policy of files. A worker has the policy of its own file. It reads tiles from this server and from that of the base map. */
export const assetPolicy = (baseMapOrigin?: string) =>
  `default-src 'none'; script-src 'self'; connect-src ${connectTo(baseMapOrigin)}; frame-ancestors 'none'`

/** MapLibre runs a worker. An item's pictures may be on other servers; the page loads them only after a click. */
const withMap = (baseMapOrigin?: string) => ({
  'worker-src': "'self'",
  'connect-src': connectTo(baseMapOrigin),
  'img-src': "'self' data: blob: http: https:",
})

/** The policy of the page in a frame, for the origins of its key. */
export const embedPolicy = (framedBy: readonly string[], baseMapOrigin?: string) =>
  policy(withMap(baseMapOrigin), framedBy)

/**
 * A page with `Cross-Origin-Embedder-Policy` shows only frames that have it too, with all scripts of their workers. Pictures of other servers
 * are loaded without credentials then.
 */
export const ISOLATED = {
  'cross-origin-embedder-policy': 'credentialless',
  'cross-origin-resource-policy': 'cross-origin',
}

/** The policies of the other pages, by their names. */
export const policiesOf = (baseMapOrigin?: string) => ({
  explorer: policy(withMap(baseMapOrigin)),
  /** The editor makes styles while it runs, and carries its fonts in its stylesheet. */
  graphiql: policy({ 'style-src': "'self' 'unsafe-inline'", 'font-src': 'data:', 'worker-src': "'self'" }),
  ogc: policy({}),
  /** Scalar makes styles while it runs. */
  reference: policy({ 'style-src': "'self' 'unsafe-inline'", 'font-src': 'data:' }),
})
