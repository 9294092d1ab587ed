import { beforeAll, describe, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { useApp } from '../support/app.ts'
import { DATASET } from '../support/catalog.ts'
import { runCommand } from '../support/command.ts'
import { runCatalog } from '../support/process.ts'

/** It runs all the while: every command works beside a gateway. */
const t = useApp()
let plain: { id: string; key: string }
let gold: { id: string; key: string }
beforeAll(async () => {
  const { prisma } = t.database
  await prisma.apiKey.deleteMany()
  plain = await createKey(prisma, { name: 'plain' })
  gold = await createKey(prisma, { name: 'gold', accessTiers: ['gold'], datasets: ['draft'] })
  await createKey(prisma, { name: 'expired', expiresAt: new Date(Date.now() - 1) })
})

const run = (...args: string[]) => runCommand(t.env, ...args)
const runJson = async (...args: string[]) => {
  const { code, stdout, stderr } = await run(...args, '--json')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}
const get = async (path: string) => (await t.get(path, { authorization: `Bearer ${plain.key}` })).status
const becomes = (path: string, status: number) => expect.poll(() => get(path)).toBe(status)

/** Fails with exactly these lines on stderr, without output. */
const expectFailure = async (args: string[], stderr: RegExp) =>
  expect(await run(...args)).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(stderr) })

describe('catalog datasets', () => {
  test('lists its datasets with or without list: the items of each, and how many valid keys may access it', async () => {
    const datasets: Record<string, unknown>[] = await runJson('datasets', 'list')
    expect(await runJson('datasets')).toEqual(datasets)
    const bySlug = datasets.map(({ slug, visibility, keys, items }) => [slug, visibility, keys, items])
    expect(bySlug.sort()).toEqual([
      ['archived', 'public', 2, 1],
      ['draft', 'public', 1, 1],
      ['inactive', 'public', 0, 1],
      ['paid', 'paid', 1, 1],
      ['restricted', 'restricted', 0, 1],
      ['seoul', 'public', 2, 9],
    ])
    const [header = '', ...rows] = (await run('datasets')).stdout.trimEnd().split('\n')
    expect(header).toMatch(/^SLUG +NAME +STATUS +VISIBILITY +TIER +ITEMS +KEYS +UPDATED$/)
    const paid = rows.find((row) => row.startsWith('paid ')) ?? ''
    expect(paid.slice(header.indexOf('TIER'), header.indexOf('ITEMS')).trim()).toBe('gold')
  })

  test('show finds a dataset by its slug, id, name or the beginning of its id', async () => {
    const { name } = await t.database.prisma.dataset.findUniqueOrThrow({ where: { slug: 'seoul' } })
    const shown = await runJson('datasets', 'show', 'seoul')
    expect(shown).toMatchObject({ id: DATASET.seoul, slug: 'seoul', name, status: 'active', keys: 2 })
    for (const text of [DATASET.seoul.toUpperCase(), name])
      expect(await runJson('datasets', 'show', text)).toEqual(shown)
    expect((await run('datasets', 'show', 'seoul')).stdout).toMatch(/^slug +seoul\nid +[0-9a-f-]{36}\nname /)
  })

  test('update changes the given fields and updatedAt, and the running gateway serves the change', async () => {
    const before = await runJson('datasets', 'show', 'restricted')
    expect(await get('/v1/datasets/restricted')).toBe(403)
    const after = await runJson('datasets', 'update', 'restricted', '--visibility', 'public', '--name', '새 이름')
    expect(after).toEqual({ ...before, visibility: 'public', name: '새 이름', updatedAt: after.updatedAt, keys: 2 })
    expect(after.updatedAt > before.updatedAt).toBe(true)
    await becomes('/v1/datasets/restricted', 200)

    await runJson('datasets', 'update', 'restricted', '--slug', 'renamed', '--description', '')
    await becomes('/v1/datasets/renamed', 200)
    await becomes('/v1/datasets/restricted', 404)
    expect(await runJson('datasets', 'show', 'renamed')).toMatchObject({ id: before.id, description: null })
  })

  test('update says that the next import sets the same fields again', async () => {
    const { stderr } = await run('datasets', 'update', 'seoul', '--status', 'active', '--description', 'Seoul')
    expect(stderr).toBe(
      'The next import of its manifest sets status, description again, unless the manifest changes too\n',
    )
  })

  test('update warns of a paid dataset without a tier', async () => {
    const { code, stderr } = await run('datasets', 'update', 'archived', '--visibility', 'paid')
    expect(code).toBe(0)
    expect(stderr).toMatch(/^warning: a paid dataset without a tier .*\n/)
    await runJson('datasets', 'update', 'archived', '--tier', 'gold')
    await becomes('/v1/datasets/archived', 403)
  })

  test.each<[string[], RegExp]>([
    [[], /^catalog: Give at least one of --slug, .*\n$/],
    [['--slug', 'paid'], /^catalog: --slug paid is taken by another dataset\n$/],
    [['--slug', DATASET.seoul], /^catalog: --slug must be letters.* and not a UUID\n$/],
    [['--slug', 'a b'], /^catalog: --slug must be letters.*\n$/],
    [['--slug', ''], /^catalog: --slug must be letters.*\n$/],
    [['--status', 'activ'], /^catalog: --status must be one of draft, active, inactive, archived\n$/],
    [['--visibility', 'x'], /^catalog: --visibility must be one of public, restricted, paid\n$/],
    [['--name', ' ', '--attribution', ''], /^catalog: --name must not be empty\n--attribution must not be empty\n$/],
  ])('update %j is refused, with a line for each mistake, and changes nothing', async (options, stderr) => {
    const state = () => t.database.prisma.dataset.findUniqueOrThrow({ where: { slug: 'seoul' } })
    const before = await state()
    await expectFailure(['datasets', 'update', 'seoul', ...options], stderr)
    expect(await state()).toEqual(before)
  })

  test('an unknown name lists the datasets', async () => {
    const line = /^catalog: There is no dataset with the slug nowhere; there are .*seoul.*\n$/
    for (const command of ['show', 'remove']) await expectFailure(['datasets', command, 'nowhere'], line)
  })

  test('a misspelt slug has the nearest one, a former slug the new one, and a removed dataset how to bring it back', async () => {
    await expectFailure(['datasets', 'show', 'soul'], /slug soul; the nearest one is seoul\n$/)
    await expectFailure(
      ['datasets', 'show', 'restricted'],
      /slug restricted; it was renamed: its slug is now renamed\n$/,
    )
    await run('datasets', 'remove', 'renamed', '--yes')
    const { at } = await t.database.prisma.historyEntry.findFirstOrThrow({ orderBy: { id: 'desc' } })
    for (const slug of ['renamed', 'restricted']) {
      const restore = `bring it back with: npx catalog datasets restore ${slug}`
      const line = `There is no dataset with the slug ${slug}; it was removed at ${at.toISOString()}; ${restore}`
      await expectFailure(['access', 'explain', 'gold', slug], new RegExp(`^catalog: ${line}\n$`))
    }
    await run('datasets', 'restore', 'renamed')
  })

  test('remove wants --yes without a terminal, and then removes the dataset with its items and grants', async () => {
    const line = /^catalog: This removes the dataset inactive with 1 item and 0 grants; to do so, add --yes\n$/
    await expectFailure(['datasets', 'remove', 'inactive'], line)
    const { id } = await t.database.prisma.dataset.findUniqueOrThrow({ where: { slug: 'inactive' } })
    expect(await get('/v1/datasets/inactive')).toBe(403)
    expect(await runJson('datasets', 'remove', 'inactive', '--yes')).toMatchObject({ id, slug: 'inactive' })
    await becomes('/v1/datasets/inactive', 404)
    expect(await t.database.prisma.item.count({ where: { datasetId: id } })).toBe(0)
  })
})

describe('catalog access', () => {
  test('explain names the clause, the times and what would change the answer', async () => {
    expect(await runJson('access', 'explain', 'gold', 'draft')).toMatchObject({
      keyId: gold.id,
      dataset: 'draft',
      mayAccess: true,
      clause: 'grant',
      since: expect.any(String),
      until: null,
      changes: [`npx catalog keys ungrant ${gold.id} --dataset draft`, `npx catalog keys revoke ${gold.id}`],
    })
    const denied = await runJson('access', 'explain', 'plain', 'paid')
    expect(denied).toMatchObject({ mayAccess: false, clause: null, since: null, until: null })
    expect(denied.reason).toBe('the dataset is active and paid with the tier gold, and the key has no grant')
    expect(denied.changes).toContain(`npx catalog keys grant ${plain.id} --dataset paid`)
    const { stdout } = await run('access', 'explain', 'plain', 'seoul')
    expect(stdout).toMatch(
      /^The key plain \([0-9a-f-]{36}\) may access the dataset seoul\.\nbecause +the dataset is active/,
    )
  })

  test('explain of an item follows its dataset, and an item of another dataset is a mistake', async () => {
    const item = await t.database.prisma.item.findFirstOrThrow({ where: { datasetId: DATASET.seoul } })
    expect(await runJson('access', 'explain', 'plain', 'seoul', item.id)).toMatchObject({
      item: item.id,
      clause: 'public',
    })
    await expectFailure(
      ['access', 'explain', 'plain', 'paid', item.id],
      /^catalog: The dataset paid has no item with the id or externalId .*\n$/,
    )
  })

  test('list has a line for each dataset', async () => {
    const rows: { dataset: string; mayAccess: boolean }[] = await runJson('access', 'list', 'gold')
    const open = rows.filter(({ mayAccess }) => mayAccess).map(({ dataset }) => dataset)
    expect(open).toEqual(expect.arrayContaining(['draft', 'paid', 'seoul']))
    expect((await run('access', 'list', 'gold')).stdout).toMatch(/^DATASET +ACCESS +SINCE +UNTIL +BECAUSE\n/)
  })
})

test.each([
  [['keys', 'show', 'pl'], ['plain']],
  [['datasets', 'show', 'se'], ['seoul']],
  [['keys', 'grant', 'plain', '--dataset', 'dr'], ['draft']],
  [['access', 'explain', 'plain', 'dr'], ['draft']],
])('completion offers the keys and datasets of the database for %o', async (words, completions) => {
  const { stdout } = await runCatalog(t.env, 'complete', '--', ...words)
  const offered = stdout.split('\n').filter((line) => line.includes('\t'))
  expect(offered.map((line) => line.split('\t')[0])).toEqual(completions)
})
