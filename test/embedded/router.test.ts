import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import type { Postgres } from '../../src/embedded/postgres-thread.ts'
import { Router } from '../../src/embedded/router.ts'

test('if the copy fails, its readers wait for the end of the import', async () => {
  const postgres: Postgres = { execute: async (batch) => batch, query: async () => [], cancel: () => {} }
  const failed = Promise.withResolvers<string>()
  const openCopy = async () => ({ ...postgres, ended: failed.promise, close: async () => {} })
  const router = new Router(postgres, { openCopy })
  const importer = { socket: new Socket(), isReader: false, name: '' }
  const reader = { socket: new Socket(), isReader: true, name: '' }
  await router.beginExclusive(importer, '4000 rows')
  const onCopy = await router.acquire(reader, false)
  onCopy.release()
  failed.resolve('killed')
  await failed.promise
  let hasTurn = false
  const waiting = router.acquire(reader, false).then((turn) => {
    hasTurn = true
    return turn
  })
  const turn = await router.acquire(importer, false)
  turn.release()
  expect(hasTurn).toBe(false)
  router.endExclusive(importer)
  expect((await waiting).isReadOnly).toBe(false)
})

test('imports that wait for the end of another begin one after the other', async () => {
  const postgres: Postgres = { execute: async (batch) => batch, query: async () => [], cancel: () => {} }
  let copies = 0
  let mostCopies = 0
  const openCopy = async () => {
    copies += 1
    mostCopies = Math.max(mostCopies, copies)
    return {
      ...postgres,
      ended: new Promise<string>(() => {}),
      close: async () => {
        copies -= 1
      },
    }
  }
  const router = new Router(postgres, { openCopy })
  const runImport = async () => {
    const client = { socket: new Socket(), isReader: false, name: '' }
    await router.beginExclusive(client, '4000 rows')
    const turn = await router.acquire(client, false)
    turn.release()
    router.endExclusive(client)
  }
  await Promise.all([runImport(), runImport(), runImport()])
  await expect.poll(() => copies).toBe(0)
  expect(mostCopies).toBe(1)
})
