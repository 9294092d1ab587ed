import { beforeAll, expect, test } from 'vitest'
import { loadSampleData } from '../../src/sample/load.ts'
import { useDatabase } from '../support/database.ts'
import { runCatalog } from '../support/process.ts'

const db = useDatabase()
beforeAll(async () => {
  await loadSampleData(db.database)
  await db.database.prisma.dataset.update({ where: { slug: 'world-airports' }, data: { slug: 'renamed' } })
})

const run = (...args: string[]) => runCatalog(db.env, ...args)

test('catalog doctor says which samples are visible, and catalog datasets remove --samples removes all of them', async () => {
  const doctor = await run('doctor')
  expect(doctor.code).toBe(0)
  expect(doctor.stdout).toMatch(/ok +samples +visible: renamed, seoul-landmarks, seoul-markets\n/)
  expect(doctor.stdout).toContain('npx catalog datasets remove --samples')
  expect(await run('datasets', 'remove', '--samples')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--yes'),
  })
  expect(await run('datasets', 'remove', 'renamed', '--samples')).toMatchObject({ code: 1 })
  expect(await run('datasets', 'remove')).toMatchObject({ code: 1 })
  const { stdout } = await run('datasets', 'remove', '--samples', '--yes')
  expect(stdout.trim().split('\n')).toHaveLength(5)
  expect((await run('datasets', 'remove', '--samples', '--yes')).stdout).toBe('There are no sample datasets\n')
  expect((await run('doctor')).stdout).not.toContain('samples')
})
