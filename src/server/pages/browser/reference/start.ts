import { onKeyChange, readKey } from '../shared/key.ts'
import { startKeyField } from '../shared/key-field.ts'

/*
 * The API reference: Swagger UI on this server's OpenAPI document, with the key of the tab.
 */

interface SwaggerUI {
  preauthorizeApiKey: (scheme: string, key: string) => void
  authActions: { logout: (schemes: string[]) => void }
}

declare global {
  var SwaggerUIBundle: (options: object) => SwaggerUI
}

const SCHEME = 'apiKey'

startKeyField()
const ui = globalThis.SwaggerUIBundle({
  url: '/v1/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  onComplete: () => authorize(readKey()),
})
onKeyChange(authorize)

function authorize(key: string | undefined): void {
  if (key === undefined) ui.authActions.logout([SCHEME])
  else ui.preauthorizeApiKey(SCHEME, key)
}
