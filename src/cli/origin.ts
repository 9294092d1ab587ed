import { readConfig } from '../config.ts'
import type { Origin } from '../import/history/record.ts'

/** The origin of the changes that this command makes: its command line, and UNDO_DAYS. */
export function commandOrigin(): Origin {
  const words = process.argv.slice(2).map((word) => (/^[\w./:@=-]+$/.test(word) ? word : `'${word}'`))
  return { command: ['catalog', ...words].join(' '), undoDays: readConfig(process.env).undoDays }
}
