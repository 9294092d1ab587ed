import { readFileSync } from 'node:fs'

/** The licences of all that the package contains, as third-party.js writes them. */
export const THIRD_PARTY = readFileSync(new URL('../THIRD_PARTY.md', import.meta.url), 'utf8')
const rows = THIRD_PARTY.matchAll(/^\| (\S+) \| (\d\S*) \| /gm)

/** The packages of npm in it, as `name@version`. */
export const SHIPPED = new Set(Array.from(rows, ([, name, version]) => `${name}@${version}`))
