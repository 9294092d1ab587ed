import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Content } from './content.ts'
import { type Found, type Input, readCase } from './read-case.ts'

/*
 * Files of all kinds, without a database: what rows() makes of them. Each line of files/*.ndjson is one case, as `Case` says.
 */

interface Case extends Input, Omit<Found, 'rows'> {
  name: string
  /** The rows, or only their number. */
  rows?: unknown[] | number
  /** The rows of the file when what the message tells to do is done. */
  remedied?: unknown[] | number
  /** The files that are then there, if no program could make them. */
  corrected?: Record<string, Content>
}

const folder = mkdtempSync(join(tmpdir(), 'catalog-files-'))
afterAll(() => rmSync(folder, { recursive: true }))

const has = (program: string) => {
  try {
    execFileSync('which', [program])
    return true
  } catch {
    return false
  }
}

/** Does what a message tells to do. Returns undefined if its program is not there. */
function applyRemedy(message: string, input: Input): Input | undefined {
  const [[file, content] = ['', '']] = Object.entries(input.files)
  const [, member, value] = /(?:add|change) "(\w+)"(?::| to) ("(?:[^"\\]|\\.)*")/.exec(message) ?? []
  // The message can't know which system it is. The source of the file does.
  const right = value && JSON.parse(value.replace('EPSG:…', 'EPSG:25832'))
  if (member !== undefined) return { ...input, entry: { ...input.entry, [member]: right } }
  const [, name] = /name it (\S+?)(?:;|$)/.exec(message) ?? []
  if (name !== undefined) return { ...input, files: { [name]: content } }
  if (message.includes('remove it from its entry')) return { ...input, entry: {} }
  const [, command = '', output = ''] = /: ((?:iconv|gunzip|jq) .* > ('[^']*'|\S+))$/.exec(message) ?? []
  if (command === '') throw new Error(`No remedy: ${message}`)
  if (!has('jq') && command.includes('jq')) return undefined
  const path = output.replaceAll("'", '').replace('FILE', 'fixed')
  // iconv drops the wrong bytes, and ends with 1 to say so.
  execFileSync('sh', ['-c', `${command.replace('> FILE', '> fixed || true')}`], { cwd: folder })
  const fixed = { hex: readFileSync(join(folder, path)).toString('hex') }
  return { ...input, files: { [path === 'fixed' ? file : path]: fixed } }
}

const counted = (found: Found, rows: Case['rows']) =>
  typeof rows === 'number' ? { ...found, rows: found.rows?.length } : found

for (const path of globSync(new URL('files/*.ndjson', import.meta.url).pathname).sort()) {
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  const cases = lines.map((line): Case => JSON.parse(line))
  describe(basename(path, '.ndjson'), () => {
    test.each(cases)('$name', async ({ name: _, remedied, corrected, ...given }) => {
      const { files, dataset, items, entry, columns, cells, ...expected } = given
      const input = { files, dataset, items, entry, columns, cells }
      const found = await readCase(input, folder)
      expect(counted(found, expected.rows)).toEqual(expected)
      if (remedied === undefined) return
      const message = found.error ?? found.problems?.[0]?.[1] ?? ''
      const right = corrected ? { ...input, files: corrected } : applyRemedy(message, input)
      if (!right) return
      const { rows, problems, error } = counted(await readCase(right, folder), remedied)
      expect({ rows, problems, error }).toEqual({ rows: remedied })
    })
  })
}

test('the names of the cases are their own, and there are many', () => {
  const names = globSync(new URL('files/*.ndjson', import.meta.url).pathname).flatMap((path) =>
    readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => `${path} ${JSON.parse(line).name}`),
  )
  expect(new Set(names).size).toBe(names.length)
})
