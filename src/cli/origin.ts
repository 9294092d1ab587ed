import { readConfig } from '../config.ts'
import type { Origin } from '../history/record.ts'
import { quoteForShell } from '../quote-for-shell.ts'

/** The origin of the changes that this command makes: its command line, and UNDO_DAYS. */
export function commandOrigin(): Origin {
  const words = process.argv.slice(2).map(quoteForShell)
  return { command: ['catalog', ...words].join(' '), undoDays: readConfig(process.env).undoDays }
}
