import { parseArgs } from 'node:util'

/*
 * Stands in for curl where there is none, as far as the README's lines and those of the first start go: `npm test` needs
 * nothing but Node.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd' },
    silent: { type: 'boolean' },
    'show-error': { type: 'boolean' },
    'fail-with-body': { type: 'boolean' },
  },
})
const headers = values.header.map((header): [string, string] => {
  const [name = '', ...rest] = header.split(': ')
  return [name, rest.join(': ')]
})
const { data } = values
const response = await fetch(positionals[0] ?? '', {
  headers,
  ...(data !== undefined && { method: 'POST', body: data }),
})
process.stdout.write(await response.text())
/** As curl has it with --fail-with-body. */
process.exitCode = response.ok ? 0 : 22
