import { escapeControls } from './errors.ts'

/** A word as a person types it in a shell, in quotes if it needs them. bash, zsh and ksh read the escapes of control characters in $'…'. */
export function quoteForShell(word: string): string {
  if (/^[\w./:@=-]+$/.test(word)) return word
  if (escapeControls(word) === word) return `'${word.replaceAll("'", "'\\''")}'`
  return `$'${escapeControls(word.replaceAll(/['\\]/g, '\\$&'))}'`
}
