import { readFileSync } from 'node:fs'
import { DEFAULTS, MAX_LIMIT } from '../../catalog/arguments.ts'
import { EXPORT_FORMATS } from '../../catalog/export-formats.ts'
import { ERRORS } from '../../errors/errors.ts'
import { errorBody } from '../../gateway/error-body.ts'
import components from './components.json' with { type: 'json' }
import examples from './examples.json' with { type: 'json' }
import { errorExample } from './operations.ts'

const TEMPLATE = readFileSync(new URL('introduction.md', import.meta.url), 'utf8').trim()

/**
 * The introduction of the API reference, in Markdown.
 * @param contact is whom to ask for a key
 */
export function introduction(contact?: string): string {
  const example = errorBody(errorExample('VALIDATION_FAILED'), examples.requestId).body
  const codes = Object.entries(ERRORS).map(([code, { status, meaning }]) => [`\`${code}\``, String(status), meaning])
  const headers = Object.entries(components.headers).map(([name, { description }]) => [`\`${name}\``, description])
  const values: Readonly<Record<string, string | number>> = {
    contact:
      contact === undefined ? 'The operator makes one: `catalog keys create`.' : `Whom to ask for one: ${contact}.`,
    limit: DEFAULTS.limit,
    maxLimit: MAX_LIMIT,
    tooMany: MAX_LIMIT + 1,
    error: JSON.stringify(example, null, 2),
    codes: table(['code', 'status', 'meaning'], codes),
    headers: table(['response header', 'meaning'], headers),
    formats: EXPORT_FORMATS.map(({ name }) => `\`.${name}\``).join(', '),
  }
  return TEMPLATE.replace(/\{\{(\w+)\}\}/g, (whole, name) => String(values[name] ?? whole))
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
