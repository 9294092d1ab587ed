import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'

/*
 * Names in mixed scripts for the benchmark of searches: real names of places (SHARED_DATA), and combinations of two from a seed.
 */

const FOLDER = process.env.SHARED_DATA ?? '/work/shared/data'

const SCRIPTS: readonly { pattern: RegExp; share: number }[] = [
  { pattern: /\p{Script=Hangul}/u, share: 0.3 },
  { pattern: /[\p{Script=Hiragana}\p{Script=Katakana}]/u, share: 0.1 },
  { pattern: /\p{Script=Han}/u, share: 0.12 },
  { pattern: /\p{Script=Arabic}/u, share: 0.08 },
  { pattern: /\p{Script=Greek}/u, share: 0.05 },
  { pattern: /\p{Script=Cyrillic}/u, share: 0.05 },
  { pattern: /[À-ɏ]/u, share: 0.1 },
  { pattern: /[A-Za-z]/u, share: 0.2 },
]

const EMOJI = ['🏔️', '🌸', '🏖️', '🍜', '⭐', '🎡']

/** The same numbers from 0 to 1 for the same seed. */
export function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function readColumns(file: string, columnsOf: (row: Record<string, string>) => (string | undefined)[]): string[] {
  const bytes = readFileSync(`${FOLDER}/${file}`)
  const rows: Record<string, string>[] = parse(file.endsWith('.gz') ? gunzipSync(bytes) : bytes, { columns: true })
  return rows.flatMap(columnsOf).filter((name) => name !== undefined && name !== '') as string[]
}

/** @yields names, the same for each run. */
export function* namesOf(count: number): Generator<string> {
  const real = new Set([
    ...readColumns('ourairports_airports.csv.gz', (row) => [row.name]),
    ...readColumns('geonames_cities15000_20260127.csv.gz', (row) => [
      row.name,
      ...(row.alternatenames ?? '').split(','),
    ]),
    ...readColumns('kr_museums.csv', (row) => [row.시설명]),
    ...readColumns('kr_festivals.csv', (row) => [row.축제명]),
    ...readColumns('kr_tourist_sites.csv', (row) => [row.관광지명]),
  ])
  const byScript = SCRIPTS.map((): string[] => [])
  for (const name of real) byScript[SCRIPTS.findIndex(({ pattern }) => pattern.test(name))]?.push(name)
  const random = generator(20_261_121)
  const pick = (values: readonly string[]) => values[Math.floor(random() * values.length)] ?? ''
  for (let n = 0; n < count; n += 1) {
    let rest = random()
    const script = Math.max(
      0,
      SCRIPTS.findIndex(({ share }) => {
        rest -= share
        return rest < 0
      }),
    )
    const names = byScript[script] ?? []
    const second = random() < 0.6 ? pick(names).split(/\s+/).at(-1) : undefined
    const emoji = random() < 0.02 ? pick(EMOJI) : undefined
    const number = random() < 0.2 ? String(Math.floor(random() * 1000)) : undefined
    const parts = [pick(names), second, emoji, number].filter((part) => part !== undefined)
    yield parts.join(' ').slice(0, 200).toWellFormed()
  }
}
