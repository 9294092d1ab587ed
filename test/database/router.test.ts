import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import type { Postgres } from '../../src/database/embedded/postgres-thread.ts'
import { Router } from '../../src/database/embedded/router.ts'

test('imports that wait for the end of another begin one after the other', { timeout: 60_000 }, async () => {
  const postgres: Postgres = { execute: async (batch) => batch, query: async () => [] }
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
    const client = { socket: new Socket(), isReader: false }
    await router.beginImport(client)
    const turn = await router.acquire(client, false)
    turn.release()
    router.endImport(client)
  }
  await Promise.all([runImport(), runImport(), runImport()])
  await expect.poll(() => copies).toBe(0)
  expect(mostCopies).toBe(1)
})
