import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../support/app.ts'
import { blocksIn } from '../support/documentation.ts'
import { countFeatures, hasGdal, runGdal } from '../support/gdal.ts'
import { runShell } from '../support/process.ts'

/*
 * GDAL as a client: the commands of docs/ogc.md. Skipped where GDAL is not installed.
 */

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

  const run = (program: string, ...args: string[]) => {
    requested.length = 0
    return runGdal(t.key, program, ...args)
  }
  const source = () => `OAPIF:${t.url}/ogc`

  test('runs the commands of the documentation', async () => {
    const [block] = blocksIn('console').filter(({ page, block }) => page === 'docs/ogc.md' && block.includes('ogr2ogr'))
    const script = block?.block.replaceAll('http://127.0.0.1:4000', t.url).replaceAll('/tmp/', `${folder}/`) ?? ''
    const { code, stdout, stderr } = await runShell({ KEY: t.key }, script)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('Geometry: Point')
    const { prisma } = t.database
    const airports = { dataset: { slug: 'world-airports' } }
    expect(await countFeatures(`${folder}/airports.gpkg`)).toBe(await prisma.item.count({ where: airports }))
    const korea = { latitude: { gte: 33, lte: 39 }, longitude: { gte: 124, lte: 132 } }
    expect(await countFeatures(`${folder}/korea.gpkg`)).toBe(
      await prisma.item.count({ where: { ...airports, ...korea } }),
    )
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
    const { prisma } = t.database
    const data = { updatedAt: new Date('2020-05-01T09:00:00.123Z') }
    const { id } = await prisma.item.findFirstOrThrow({ where: { dataset: { slug: 'seoul-landmarks' } } })
    await prisma.item.update({ where: { id }, data })
    const found = async (where: string) =>
      (await run('ogrinfo', '-so', source(), 'seoul-landmarks', '-where', where)).match(/Feature Count: \d+/)?.[0]
    await expect.poll(() => found("updatedAt <= '2020-05-01T09:00:01Z'")).toBe('Feature Count: 1')
    expect(await found("updatedAt <= '2020-05-01T09:00:00.123Z'")).toBe('Feature Count: 0')
    expect(await found("updatedAt <= '2020-05-01'")).toBe('Feature Count: 1')
    expect(await found("updatedAt = '2020-05-01'")).toBe('Feature Count: 1')
    expect(await found("updatedAt <= '2020-04-30'")).toBe('Feature Count: 0')
  })
})
