import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importManifest } from '../../src/import/import.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { blocksIn } from '../support/documentation.ts'
import { runProcess, runShell } from '../support/process.ts'

/*
 * GDAL as a client: the commands of docs/ogc.md, and all airports of the open data. Skipped where GDAL is not installed.
 */

const hasGdal = process.env.CI !== undefined || spawnSync('ogr2ogr', ['--version']).status === 0
if (!hasGdal) process.stderr.write('There is no ogr2ogr: the tests with GDAL are skipped\n')

const AIRPORTS = fileURLToPath(new URL('../import/manifests/ourairports_airports.json', import.meta.url))
const hasData = existsSync(fileURLToPath(new URL('../../../shared/data/', import.meta.url)))

describe.skipIf(!hasGdal)('GDAL', () => {
  let t: TestApp
  let folder: string
  /** The URLs that GDAL has requested. */
  const requested: string[] = []
  beforeAll(async () => {
    t = await startApp({ data: 'sample' })
    t.app.server.on('request', ({ url }) => requested.push(url ?? ''))
    folder = await mkdtemp(join(tmpdir(), 'catalog-gdal-'))
  })
  afterAll(async () => {
    await t.close()
    await rm(folder, { recursive: true })
  })

  const run = async (program: string, ...args: string[]) => {
    requested.length = 0
    const env = { ...process.env, GDAL_HTTP_HEADERS: `Authorization: Bearer ${t.key}` }
    const { code, stdout, stderr } = await runProcess(program, args, env)
    expect([code, stderr]).toEqual([0, ''])
    return stdout
  }
  const source = () => `OAPIF:${t.url}/ogc`
  const countIn = async (file: string) =>
    Number(/Feature Count: (\d+)/.exec(await run('ogrinfo', '-so', '-al', file))?.[1])

  test('runs the commands of the documentation', async () => {
    const [block] = blocksIn('console').filter(({ page, block }) => page === 'docs/ogc.md' && block.includes('ogr2ogr'))
    const script = block?.block.replaceAll('http://127.0.0.1:4000', t.url).replaceAll('/tmp/', `${folder}/`) ?? ''
    const { code, stdout, stderr } = await runShell({ KEY: t.key }, script)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('Geometry: Point')
    const { prisma } = t.database
    const airports = { dataset: { slug: 'world-airports' } }
    expect(await countIn(`${folder}/airports.gpkg`)).toBe(await prisma.item.count({ where: airports }))
    const korea = { latitude: { gte: 33, lte: 39 }, longitude: { gte: 124, lte: 132 } }
    expect(await countIn(`${folder}/korea.gpkg`)).toBe(await prisma.item.count({ where: { ...airports, ...korea } }))
  })

  test('reads title, extent, number and fields of a collection', async () => {
    const printed = await run('ogrinfo', '-so', source(), 'seoul-landmarks')
    const { prisma } = t.database
    const total = await prisma.item.count({ where: { dataset: { slug: 'seoul-landmarks' } } })
    expect(printed).toContain(`Feature Count: ${total}`)
    for (const field of [
      'id: String',
      'name: String',
      'updatedAt: DateTime',
      'extraAttributes: String(JSON)',
      'images: String(JSON)',
    ]) {
      expect(printed).toContain(field)
    }
  })

  test('lets the gateway select by a box, a code and a time', async () => {
    await run('ogrinfo', '-so', source(), 'seoul-landmarks', '-spat', '126.9', '37.5', '127', '37.6')
    expect(requested.map(decodeURIComponent)).toContainEqual(expect.stringContaining('bbox=126.9'))
    await run('ogrinfo', '-so', source(), 'seoul-landmarks', '-where', "categoryCode = 'palace'")
    expect(requested).toContainEqual(expect.stringContaining('categoryCode=palace'))
    await run('ogrinfo', '-so', source(), 'seoul-landmarks', '-where', "updatedAt >= '2020-01-01T00:00:00Z'")
    expect(requested.map(decodeURIComponent)).toContainEqual(
      expect.stringContaining('datetime=2020-01-01T00:00:00Z/..'),
    )
  })

  // The import takes a minute, and longer on the embedded database.
  test.skipIf(!hasData || !process.env.TEST_DATABASE_URL)('reads all 85,253 airports', async () => {
    await importManifest(t.database, AIRPORTS, { keepMissing: false, skipInvalid: false })
    const file = `${folder}/all.gpkg`
    await run('ogr2ogr', file, source(), 'airports', '-oo', 'PAGE_SIZE=10000', '-mapFieldType', 'StringList=String')
    expect(new Set(requested.filter((url) => url.includes('limit=10000'))).size).toBe(9)
    expect(await countIn(file)).toBe(85_253)
    const distinct = await run('ogrinfo', file, '-q', '-sql', 'SELECT count(DISTINCT externalId) AS n FROM airports')
    expect(distinct).toMatch(/n \(Integer\) = 85253/)
  })
})
