import { render } from 'preact'
import { request } from '../shared/api.ts'
import { messageOf } from '../shared/api-error.ts'
import { byId } from '../shared/element.ts'
import { onKeyChange, readKey } from '../shared/key.ts'
import { startShell } from '../shared/shell.tsx'

/*
 * The API reference: Scalar on this server's OpenAPI document. Scalar can also call its makers' servers. These features are off, and the
 * page's policy forbids such requests.
 *
 * Scalar never has the key of the tab, because it shows what it has: in code samples and in the headers of a request.
 */

declare global {
  var Scalar: { createApiReference: (selector: string, options: object) => void }
}

interface Operation {
  parameters: object[]
  responses: Record<string, { content?: Record<string, unknown> }>
}

interface OpenApiDocument {
  paths: Record<string, { get: Operation }>
}

/** Scalar 1.72 takes `application/geo+json` for `application/json`, and shows the one's example for the other. */
function withoutGeoJson(document: OpenApiDocument): OpenApiDocument {
  for (const { get } of Object.values(document.paths)) {
    for (const { content } of Object.values(get.responses)) {
      if (content?.['application/json']) delete content['application/geo+json']
    }
  }
  return document
}

/** Without this header the /v1 routes ignore an unknown parameter. Examples and requests have it. */
const PREFER = {
  name: 'Prefer',
  in: 'header',
  description: 'With `handling=strict` an unknown parameter is an error (RFC 7240).',
  example: 'handling=strict',
  schema: { type: 'string' },
}

function withPrefer(document: OpenApiDocument): OpenApiDocument {
  for (const [path, { get }] of Object.entries(document.paths)) if (path.startsWith('/v1/')) get.parameters.push(PREFER)
  return document
}

const HIDDEN_LANGUAGES =
  'c clojure csharp dart fsharp go http java julia kotlin objc ocaml php powershell r ruby rust swift'.split(' ')

/** The page offers only the clients whose examples a test runs. Scalar's example for Python's requests, for one, does not run. */
const HIDDEN_CLIENTS = {
  ...Object.fromEntries(HIDDEN_LANGUAGES.map((language) => [language, true])),
  js: ['axios', 'jquery', 'ofetch', 'xhr'],
  node: ['axios', 'ofetch', 'undici'],
  python: ['aiohttp', 'httpx_async', 'httpx_sync', 'requests'],
  shell: ['httpie', 'wget'],
}

/** Stands for the key in all that Scalar shows. */
const SHOWN_KEY = 'YOUR_API_KEY'

/** Sends a request of Scalar, with the key of the tab instead of `SHOWN_KEY` if it goes to this server. */
function sendWithKey(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init)
  const key = readKey()
  const isOwn = new URL(request.url).origin === location.origin
  if (key !== undefined && isOwn && request.headers.get('authorization') === `Bearer ${SHOWN_KEY}`) {
    request.headers.set('authorization', `Bearer ${key}`)
  }
  return fetch(request)
}

startShell()
mendReference(byId('reference', HTMLElement))
const response = await request('/openapi.json').catch((error: unknown) => {
  render(<p role="alert">{messageOf(error)}</p>, byId('reference', HTMLElement))
  throw error
})
const openApi: OpenApiDocument = await response.json()
globalThis.Scalar.createApiReference('#reference', {
  content: withPrefer(withoutGeoJson(openApi)),
  authentication: {
    preferredSecurityScheme: 'apiKey',
    securitySchemes: { apiKey: { token: readKey() === undefined ? '' : SHOWN_KEY } },
  },
  hiddenClients: HIDDEN_CLIENTS,
  customFetch: sendWithKey,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  defaultOpenAllTags: true,
  hideModels: true,
  hideDarkModeToggle: true,
  hideClientButton: true,
  showDeveloperTools: 'never',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
})
// Scalar takes a token only when it starts.
onKeyChange(() => location.reload())

/**
 * Gives Scalar's page what it lacks: scrollable parts in reach of the keyboard, and no second banner beside the bar. On a phone it has a bar
 * that opens its contents.
 */
function mendReference(root: HTMLElement): void {
  new MutationObserver(() => {
    for (const header of root.querySelectorAll('header:not([role])')) header.setAttribute('role', 'presentation')
    for (const bar of root.querySelectorAll('.t-doc__header:not([role])')) {
      bar.setAttribute('role', 'navigation')
      bar.setAttribute('aria-label', 'Contents')
    }
    for (const part of root.querySelectorAll<HTMLElement>(':is(.custom-scroll, .endpoints):not([tabindex])'))
      part.tabIndex = 0
  }).observe(root, { subtree: true, childList: true })
}
