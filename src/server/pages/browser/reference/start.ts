import { onKeyChange, readKey } from '../shared/key.ts'
import { startKeyField } from '../shared/key-field.ts'

/*
 * The API reference: Scalar on this server's OpenAPI document, with the key of the tab. Scalar can also call its makers'
 * servers. These features are off, and the page's policy forbids such requests.
 */

declare global {
  var Scalar: { createApiReference: (selector: string, options: object) => void }
}

startKeyField()
globalThis.Scalar.createApiReference('#reference', {
  url: '/v1/openapi.json',
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
