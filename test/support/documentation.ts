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

/** All pages, with those for contributors. */
export const ALL_PAGES: readonly Page[] = [...PAGES, ...['CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'].map(read)]

export interface Block {
  page: string
  /** Its first line. */
  title: string
  block: string
  /** The output that the page shows below the block, if it shows any. */
  output: string | undefined
}

/** The fenced blocks of a language, in order. */
export function blocksIn(language: string): Block[] {
  const fence = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$(?:\\n\\n\`\`\`(?:json|text)\\n(.*?)^\`\`\`$)?`, 'gms')
  return PAGES.flatMap(({ path, text }) =>
    [...text.matchAll(fence)].map(([, block = '', output]) => {
      const [title = ''] = block.split('\n')
      return { page: path, title, block, output }
    }),
  )
}

/**
 * An output without what differs from run to run: ids, keys, times, ports, cursors, and the width of columns.
 */
export function comparable(output: string): string[] {
  const text = output
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
    .replace(/dck_[\w-]+/g, 'KEY')
    .replace(/\bnever\b|\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'URL')
    .replace(/(ursor":")[\w-]+/g, '$1CURSOR')
  const lines = text.startsWith('{') ? [text.replaceAll('\n', '')] : text.trim().split('\n')
  return lines.map((line) => line.replace(/ +/g, ' ').trim())
}

/** The code in a page: fenced blocks, indented commands and `inline code`. */
export function codeIn({ text }: Page): string[] {
  const fenced = [...text.matchAll(/^```\w*\n(.*?)^```$/gms)].flatMap(([, block = '']) => block.split('\n'))
  const prose = text.replace(/^```.*?^```$/gms, '')
  const indented = [...prose.matchAll(/^ {4}(\S.*)$/gm)].map(([, line = '']) => line)
  const inline = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)
  return [...fenced, ...indented, ...inline]
}
