import { beforeAll, describe, expect, test } from 'vitest'
import { resolveDataset, resolveKey } from '../../src/auth/names.ts'
import { DATASET, seedCatalog } from '../support/catalog.ts'
import { useDatabase } from '../support/database.ts'

const ID = {
  one: 'aaaa1111-0000-4000-8000-000000000001',
  two: 'aaaa2222-0000-4000-8000-000000000002',
  old: 'bbbb1111-0000-4000-8000-000000000003',
  current: 'bbbb2222-0000-4000-8000-000000000004',
  /** Its name is the beginning of the id of `one`, and the name of `confusing` is that id. */
  prefixed: 'cccc1111-0000-4000-8000-000000000005',
  confusing: 'cccc2222-0000-4000-8000-000000000006',
} as const

const db = useDatabase()
beforeAll(async () => {
  const { prisma } = db.database
  await seedCatalog(prisma)
  const key = (id: string, name: string, revokedAt: Date | null = null) => ({
    id,
    name,
    revokedAt,
    hash: new Uint8Array(Buffer.from(id.replaceAll('-', '').repeat(2), 'hex')),
    createdAt: new Date(),
  })
  await prisma.apiKey.createMany({
    data: [
      key(ID.one, 'twice'),
      key(ID.two, 'twice'),
      key(ID.old, 'replaced', new Date()),
      key(ID.current, 'replaced'),
      key(ID.prefixed, 'aaaa1'),
      key(ID.confusing, ID.one),
    ],
  })
})

const key = async (text: string) => (await resolveKey(db.database.prisma, text)).id
const dataset = async (text: string) => (await resolveDataset(db.database.prisma, text)).id

describe('A command finds a key', () => {
  test('by its id in any letter case, rather than a key with that name', async () => {
    expect(await key(ID.one.toUpperCase())).toBe(ID.one)
    expect(await key(ID.one)).toBe(ID.one)
  })

  test('by its name, rather than by the beginning of an id', async () => {
    expect(await key('aaaa1')).toBe(ID.prefixed)
  })

  test('by its name if all others with that name are revoked', async () => {
    expect(await key('replaced')).toBe(ID.current)
  })

  test('by the four first characters of its id, or more, in any letter case', async () => {
    expect(await key('AAAA2')).toBe(ID.two)
    await expect(key('aaa')).rejects.toThrow('There is no key with the id aaa')
    await expect(key('bbbb')).rejects.toThrow('bbbb names 2 keys')
    await db.database.prisma.apiKey.delete({ where: { id: ID.old } })
    expect(await key('bbbb')).toBe(ID.current)
    await expect(key('bbb')).rejects.toThrow('There is no key with the id bbb')
  })

  test('only if the name is of one key', async () => {
    await expect(key('twice')).rejects.toThrow(
      new RegExp(`twice names 2 keys; use an id: ${ID.one} \\(created 20.*Z\\), ${ID.two} \\(created`),
    )
  })
})

test('a command finds a dataset by its slug, rather than a dataset with that name', async () => {
  const { prisma } = db.database
  await prisma.dataset.update({ where: { slug: 'paid' }, data: { name: 'seoul' } })
  expect(await dataset('seoul')).toBe(DATASET.seoul)
  expect(await dataset(DATASET.paid.toUpperCase())).toBe(DATASET.paid)
  expect(await dataset('Restricted')).toBe(DATASET.restricted)
})
