import { globSync, readFileSync } from 'node:fs'
import { CHECKOUT } from './process.ts'

export interface Page {
  /** Relative to the checkout. */
  path: string
  text: string
}

const read = (path: string): Page => ({ path, text: readFileSync(`${CHECKOUT}${path}`, 'utf8') })

/** The pages whose commands the tests run, the README first. */
export const PAGES: readonly Page[] = ['README.md', ...globSync('docs/**/*.md', { cwd: CHECKOUT }).sort()].map(read)

/** Every page for readers, those for contributors included. */
export const ALL_PAGES: readonly Page[] = [...PAGES, ...['CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'].map(read)]

/** The fenced blocks of a language, each with the name of its page. */
export function blocksIn(language: string): { page: string; block: string }[] {
  const fence = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms')
  return PAGES.flatMap(({ path, text }) => [...text.matchAll(fence)].map(([, block = '']) => ({ page: path, block })))
}

/** The code in a page: fenced blocks, indented commands and `inline code`. */
export function codeIn({ text }: Page): string[] {
  const fenced = [...text.matchAll(/^```\w*\n(.*?)^```$/gms)].flatMap(([, block = '']) => block.split('\n'))
  const prose = text.replace(/^```.*?^```$/gms, '')
  const indented = [...prose.matchAll(/^ {4}(\S.*)$/gm)].map(([, line = '']) => line)
  const inline = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)
  return [...fenced, ...indented, ...inline]
}
