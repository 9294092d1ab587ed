import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { openApiDocument } from '../../rest/openapi/document.ts'
import { ResponseBody, sendCacheable } from '../reply.ts'
import { addRoute } from '../route.ts'

/*
 * What a developer opens first: where all is, the reference of the REST routes, and the document that it is made of. No key is
 * needed to read them, and everything they show comes from here.
 */

const HTML = 'text/html; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'

/** Swagger UI makes styles as it goes; its scripts are files of ours. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

const asset = (name: string, type: string) => new ResponseBody(readFileSync(join(SWAGGER_UI, name)), type)

/** Mounts /, /docs with its assets, and /v1/openapi.json. */
export function addDocsRoutes(app: FastifyInstance): void {
  const resources: [string, ResponseBody][] = [
    ['/', new ResponseBody(LANDING, HTML)],
    ['/docs', new ResponseBody(REFERENCE, HTML)],
    ['/docs/start.js', new ResponseBody(START, SCRIPT)],
    ['/docs/swagger-ui.css', asset('swagger-ui.css', 'text/css; charset=utf-8')],
    ['/docs/swagger-ui-bundle.js', asset('swagger-ui-bundle.js', SCRIPT)],
    ['/v1/openapi.json', new ResponseBody(JSON.stringify(openApiDocument()))],
  ]
  for (const [path, resource] of resources) {
    addRoute(app, {
      path,
      methods: ['GET'],
      handler: (request, reply) =>
        sendCacheable(request, reply.header('content-security-policy', PAGE_POLICY), resource),
    })
  }
}

const REFERENCE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Dataset Catalog: API reference</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" href="data:,">
</head>
<body>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

const START = `SwaggerUIBundle({
  url: '/v1/openapi.json', dom_id: '#reference', deepLinking: true, displayRequestDuration: true, tryItOutEnabled: true,
})
`

const LANDING = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Dataset Catalog</title>
<link rel="icon" href="data:,">
<style>
  body { font: 1.1rem/1.6 system-ui, sans-serif; max-width: 42rem; margin: 4rem auto; padding: 0 1rem; color: #222; background: #fff }
  h1 { font-weight: 600 } code, pre { background: #f3f3f3; border-radius: 4px; padding: .1em .3em } pre { padding: 1rem; white-space: pre-wrap }
  a { color: #0b5cad } dt { margin-top: 1rem; font-weight: 600 } dd { margin: 0 }
  @media (prefers-color-scheme: dark) { body { color: #eee; background: #181818 } code, pre { background: #2a2a2a } a { color: #7fb8f0 } }
</style>
</head>
<body>
<h1>Dataset Catalog</h1>
<p>Datasets of places (museums, airports, cities), and what is near a point. Every answer is cut to what your API key may access.</p>
<dl>
  <dt><a href="/graphql">GraphiQL</a></dt>
  <dd>Compose datasets, items and images in one request, with the schema at hand.</dd>
  <dt><a href="/docs">API reference</a></dt>
  <dd>The five REST routes, to read and to try; as <a href="/v1/openapi.json">OpenAPI 3.1</a> for your tools.</dd>
  <dt><a href="/readyz">Health</a></dt>
  <dd><a href="/healthz"><code>/healthz</code></a> while the process lives, <a href="/readyz"><code>/readyz</code></a> while it can serve.</dd>
</dl>
<p>A first request, with your key (the README's tour has more):</p>
<pre>curl -H "Authorization: Bearer &lt;API_KEY&gt;" http://127.0.0.1:4000/v1/datasets</pre>
</body>
</html>
`
