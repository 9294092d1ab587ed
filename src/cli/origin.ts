import { readConfig } from '../config/config.ts'
import { quoteForShell } from '../errors/quote-for-shell.ts'
import type { Origin } from '../history/record.ts'

/** The origin of the changes that this command makes: its command line, and UNDO_DAYS. */
export function commandOrigin(): Origin {
  const words = process.argv.slice(2).map(quoteForShell)
  return { command: ['catalog', ...words].join(' '), undoDays: readConfig(process.env).undoDays }
}
