import { execFileSync } from 'node:child_process'
import { lstat, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { EXPORT_FORMATS, NDJSON } from '../../src/catalog/export-formats.ts'
import { exportFile } from '../../src/cli/export-files.ts'
import { useApp } from '../support/app.ts'
import { DATASET } from '../support/catalog.ts'
import { runCommand } from '../support/command.ts'
import { createDatabase } from '../support/database.ts'
import { useFolder } from '../support/folder.ts'
import { environment, runProcess } from '../support/process.ts'

/** Texts go to stdout, binary formats only into a file. */
const { text: TEXTS = [], binary: BINARIES = [] } = Object.groupBy(EXPORT_FORMATS, ({ frame }) =>
  frame ? 'text' : 'binary',
)

const t = useApp()
const inFolder = useFolder()

const run = (...args: string[]) => runCommand(t.env, 'export', ...args)

describe('catalog export', () => {
  test.each(TEXTS)('$name: stdout gets what the gateway serves', async ({ name: format }) => {
    const served = await (await t.get(`/exports/seoul.${format}`)).text()
    expect(await run('seoul', '--format', format)).toEqual({ code: 0, stdout: served, stderr: '' })
  })

  test.each(BINARIES)('$title is written to a file as the gateway serves it', async ({ name: format }) => {
    const path = join(await mkdtemp(inFolder('binary-')), `seoul.${format}`)
    expect(await run('seoul', '--output', path)).toMatchObject({ code: 0, stderr: '' })
    const served = await (await t.get(`/exports/seoul.${format}`)).arrayBuffer()
    expect((await readFile(path)).equals(Buffer.from(served))).toBe(true)
  })

  test('a file is written once, and replaced only with --force', async () => {
    await mkdir(inFolder('once'))
    const path = inFolder('once', 'seoul.csv')
    const args = ['seoul', '--format', 'csv', '--output', path]
    expect(await run(...args)).toEqual({ code: 0, stdout: `seoul: exported to ${path}\n`, stderr: '' })
    const text = await readFile(path, 'utf8')
    expect(text).toBe(await (await t.get('/exports/seoul.csv')).text())

    await writeFile(path, 'mine')
    const { code, stderr } = await run(...args)
    expect([code, stderr]).toEqual([1, `catalog: ${path} exists; replace it with --force\n`])
    expect(await readFile(path, 'utf8')).toBe('mine')

    expect((await run(...args, '--force')).code).toBe(0)
    expect(await readFile(path, 'utf8')).toBe(text)
    expect(await readdir(inFolder('once'))).toEqual(['seoul.csv'])
  })

  describe('What is no regular file is written into, and never replaced:', () => {
    const served = async () => (await t.get('/exports/seoul.csv')).text()
    const exportTo = (path: string, ...more: string[]) => run('seoul', '--format', 'csv', '--output', path, ...more)
    const inNew = async (name: string) => join(await mkdtemp(inFolder('special-')), name)

    test('a pipe, without --force: a write loses nothing', async () => {
      const path = await inNew('pipe')
      execFileSync('mkfifo', [path])
      const [text, { code }] = await Promise.all([readFile(path, 'utf8'), exportTo(path)])
      expect([code, text]).toEqual([0, await served()])
      expect((await lstat(path)).isFIFO()).toBe(true)
    })

    test.skipIf(process.getuid?.() !== 0)('a device, by its name and by a link', async () => {
      const path = await inNew('null')
      // Some containers allow root no devices.
      const isMade = await runProcess('mknod', [path, 'c', '1', '3'], environment({})).then(({ code }) => code === 0)
      if (!isMade) return
      const link = `${path}.link`
      await symlink(path, link)
      for (const output of [path, link]) expect((await exportTo(output, '--force')).code).toBe(0)
      expect((await lstat(path)).isCharacterDevice()).toBe(true)
      expect((await lstat(link)).isSymbolicLink()).toBe(true)
    })

    test('a symbolic link keeps its name, and its target is written, also a new one', async () => {
      const target = await inNew('target.csv')
      const [link, dangling] = [`${target}.link`, `${target}.dangling`]
      await writeFile(target, 'mine')
      await symlink('target.csv', link)
      await symlink('new.csv', dangling)
      expect((await exportTo(link)).stderr).toBe(`catalog: ${link} exists; replace it with --force\n`)
      expect((await exportTo(link, '--force')).code).toBe(0)
      expect((await exportTo(dangling)).code).toBe(0)
      for (const name of ['target.csv', 'new.csv']) {
        expect(await readFile(join(dirname(target), name), 'utf8')).toBe(await served())
      }
      for (const each of [link, dangling]) expect((await lstat(each)).isSymbolicLink()).toBe(true)
    })

    test('the files of a bundle that are links', async () => {
      const bundle = await mkdtemp(inFolder('linked-'))
      await symlink('m', join(bundle, 'manifest.json'))
      await symlink('i', join(bundle, 'items.ndjson'))
      const args = ['seoul', '--format', 'bundle', '--output', bundle, '--force']
      for (let time = 0; time < 2; time += 1) expect((await run(...args)).code).toBe(0)
      expect((await readdir(bundle)).sort()).toEqual(['i', 'items.ndjson', 'm', 'manifest.json'])
      expect((await lstat(join(bundle, 'manifest.json'))).isSymbolicLink()).toBe(true)
    })
  })

  test('two exports of one file at the same time both succeed', async () => {
    const path = inFolder('twice', 'seoul.ndjson')
    await mkdir(inFolder('twice'))
    const { prisma } = t.database
    const { id } = await prisma.dataset.findUniqueOrThrow({ where: { slug: 'seoul' } })
    await Promise.all([1, 2].map(() => exportFile({ prisma, id }, { format: NDJSON, path, force: true })))
    expect(await readFile(path, 'utf8')).toBe(await (await t.get('/exports/seoul.ndjson')).text())
    expect(await readdir(inFolder('twice'))).toEqual(['seoul.ndjson'])
  })

  test('a bundle has the whole dataset, and import takes it elsewhere', async () => {
    const bundle = inFolder('bundle')
    expect((await run(DATASET.draft, '--format', 'bundle', '--output', bundle)).code).toBe(0)
    expect((await readdir(bundle)).sort()).toEqual(['items.ndjson', 'manifest.json'])
    const { revision, epoch, ...dataset } = await t.database.prisma.dataset.findUniqueOrThrow({
      where: { slug: 'draft' },
    })
    const manifest = JSON.parse(await readFile(join(bundle, 'manifest.json'), 'utf8'))
    expect(manifest).toEqual(JSON.parse(JSON.stringify({ dataset, items: [{ file: 'items.ndjson', exact: true }] })))

    const again = await run('draft', '--format', 'bundle', '--output', bundle)
    expect([again.code, again.stderr]).toEqual([
      1,
      `catalog: ${join(bundle, 'manifest.json')} exists; replace it with --force\n`,
    ])
    expect((await run('draft', '--format', 'bundle', '--output', bundle, '--force')).code).toBe(0)

    const elsewhere = await createDatabase()
    try {
      const imported = await runCommand(elsewhere.env, 'import', join(bundle, 'manifest.json'), '--json')
      expect(JSON.parse(imported.stdout)).toMatchObject({ datasetId: DATASET.draft, created: 1, skipped: 0 })
    } finally {
      await elsewhere.close()
    }
  })

  test('a bundle replaces the items of somebody else only with --force', async () => {
    const bundle = await mkdtemp(inFolder('mine-'))
    const path = join(bundle, 'items.ndjson')
    await writeFile(path, 'mine')
    const args = ['seoul', '--format', 'bundle', '--output', bundle]
    expect((await run(...args)).stderr).toBe(`catalog: ${path} exists; replace it with --force\n`)
    expect(await readdir(bundle)).toEqual(['items.ndjson'])
    expect(await readFile(path, 'utf8')).toBe('mine')
    expect((await run(...args, '--force')).code).toBe(0)
    expect((await readdir(bundle)).sort()).toEqual(['items.ndjson', 'manifest.json'])
  })

  test.each([
    [['unknown', '--format', 'csv'], /^catalog: There is no dataset with the slug unknown/],
    [['seoul'], /^catalog: required option '--format <format>' not specified\n$/],
    [
      ['seoul', '--format', 'xml'],
      `Allowed choices are ${[...EXPORT_FORMATS.map(({ name }) => name), 'bundle'].join(', ')}`,
    ],
    [['seoul', '--format', 'bundle'], /^catalog: --format bundle needs --output FOLDER\n$/],
    [['seoul', '--format', 'csv', '--output', '/nowhere/a.csv'], /^catalog: \/nowhere\/a.csv can't be written: ENOENT/],
    [['seoul', '--format', 'bundle', '--output', '/dev/null/a'], /^catalog: \/dev\/null\/a can't be written: ENOTDIR/],
  ])('%j fails with one line', async (args, message) => {
    const { code, stdout, stderr } = await run(...args)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(new RegExp(message))
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })
})
