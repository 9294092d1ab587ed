import { hash } from 'node:crypto'
import { renderGraphiQL } from '@graphql-yoga/render-graphiql'
import { EXAMPLES } from './graphiql-examples.ts'

const HEADERS = JSON.stringify({ Authorization: 'Bearer <API_KEY>' }, undefined, 2)

/**
 * GraphiQL asks for the schema when it opens, and there is no key then. Once a request with a key has been answered, this
 * has it ask again.
 */
const RELOAD_SCHEMA = `
  const send = window.fetch
  let schemaRefused = false
  window.fetch = async (...request) => {
    const response = await send(...request)
    if (String(request[1]?.body).includes('IntrospectionQuery')) schemaRefused = !response.ok
    else if (schemaRefused && response.ok) {
      schemaRefused = false
      document.querySelector('[aria-label^="Re-fetch GraphQL schema"]')?.click()
    }
    return response
  }`

/**
 * What the page may do (Content Security Policy Level 3): run its own scripts, known by their hashes, and talk to its own server.
 * Its editor makes styles as it goes, and workers of what it carries.
 */
export function graphiqlPolicy(page: string): string {
  const scripts = [...page.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(([, script = '']) => script)
  const hashes = scripts.map((script) => `'sha256-${hash('sha256', script, 'base64')}'`)
  return [
    "default-src 'none'",
    `script-src ${hashes.join(' ')}`,
    "style-src 'unsafe-inline'",
    "connect-src 'self'",
    "img-src 'self' data:",
    'font-src data:',
    'worker-src blob: data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** The GraphiQL page, whole: it carries its scripts, styles and fonts, and loads nothing from elsewhere. */
export function graphiqlPage(): string {
  const page = renderGraphiQL({
    title: 'Dataset Catalog',
    headers: HEADERS,
    defaultHeaders: HEADERS,
    defaultTabs: EXAMPLES.map((query) => ({ query, headers: HEADERS })),
    defaultEditorToolsVisibility: 'headers',
    // A key typed in here is gone with the tab.
    shouldPersistHeaders: false,
  })
  return page.replace('<div id="root"></div>', () => `<div id="root"></div><script>${RELOAD_SCHEMA}</script>`)
}
