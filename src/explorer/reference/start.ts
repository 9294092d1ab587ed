import { onKeyChange, readKey } from '../shared/key.ts'
import { startKeyField } from '../shared/key-field.ts'

/*
 * The API reference: Scalar on this server's OpenAPI document, with the key of the tab. Scalar can also call its makers'
 * servers. These features are off, and the page's policy forbids such requests.
 */

declare global {
  var Scalar: { createApiReference: (selector: string, options: object) => void }
}

interface OpenApiDocument {
  paths: Record<string, { get: { responses: Record<string, { content?: Record<string, unknown> }> } }>
}

/** Scalar 1.72 takes `application/geo+json` for `application/json`, and shows the one's example for the other. */
function withoutGeoJson(document: OpenApiDocument): OpenApiDocument {
  for (const { get } of Object.values(document.paths)) {
    for (const { content } of Object.values(get.responses)) delete content?.['application/geo+json']
  }
  return document
}

startKeyField()
const response = await fetch('/v1/openapi.json')
globalThis.Scalar.createApiReference('#reference', {
  content: withoutGeoJson(await response.json()),
  authentication: {
    preferredSecurityScheme: 'apiKey',
    securitySchemes: { apiKey: { token: readKey() ?? '' } },
  },
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
// Scalar takes a key only when it starts.
onKeyChange(() => location.reload())
