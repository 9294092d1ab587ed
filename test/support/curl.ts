import { parseArgs } from 'node:util'

/*
 * Replaces curl on machines without it, because `npm test` must need nothing but Node. It has the options that the README and
 * the start-up banner use.
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
/** The exit code of curl with --fail-with-body. */
process.exitCode = response.ok ? 0 : 22
