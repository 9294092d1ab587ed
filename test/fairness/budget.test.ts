import { once } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fastify } from 'fastify'
import { expect, test } from 'vitest'
import { CANCELLED, currentCancellation } from '../../src/database/cancellation.ts'
import { RequestBudget } from '../../src/gateway/admission/budget.ts'
import { createSlots } from '../../src/gateway/admission/fair-share.ts'
import { UnreadResponses } from '../../src/gateway/admission/unread.ts'

/* What a request may take of what all share, without a database. */

const LIMITS = { unreadBytes: 100_000, responseStallTimeoutMs: 200 }

/** The budgets of requests of keys. */
function open(places = 2) {
  const app = fastify()
  const unread = new UnreadResponses(app, LIMITS, ({ headers }) => String(headers.owner))
  // They have reserved memory, and are never sent.
  app.get<{ Params: { bytes: string } }>('/hold/:bytes', (request, reply) =>
    unread.reserve(request, reply, Number(request.params.bytes)),
  )
  const hold = async (owner: string, bytes: number) => {
    const before = unread.bytes
    void app.inject({ url: `/hold/${bytes}`, headers: { owner } }).catch(() => {})
    await expect.poll(() => unread.bytes).toBe(before + bytes)
  }
  const inFlight = createSlots(places)
  const request = (keyId = 'key') => {
    const raw = new ServerResponse(new IncomingMessage(new Socket()))
    return { raw, budget: new RequestBudget({ inFlight, unread }, keyId, { raw }) }
  }
  return { app, unread, hold, request }
}

test('a place is free again after a read, however it ends', async () => {
  const { request } = open(1)
  const { budget } = request()
  const held = Promise.withResolvers<void>()
  const first = budget.read(() => held.promise)
  await expect(request('other').budget.read(async () => 1)).rejects.toMatchObject({ refusal: 'requests' })
  held.resolve()
  await first
  await expect(budget.read(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  await expect(request('other').budget.read(async () => 'read')).resolves.toBe('read')
})

test('a key whose clients have not read its share begins nothing; other keys do', async () => {
  const { hold, request } = open()
  await hold('greedy', 90_000)
  let hasRun = false
  const read = async () => {
    hasRun = true
  }
  await expect(request('greedy').budget.read(read)).rejects.toMatchObject({ refusal: 'unread' })
  expect(hasRun).toBe(false)
  await request('other').budget.read(read)
  expect(hasRun).toBe(true)
})

test('a key with less than its share begins a response, although others have taken the rest', async () => {
  const { hold, request } = open()
  await hold('greedy', 60_000)
  await hold('modest', 30_000)
  await expect(request('greedy').budget.read(async () => 1)).rejects.toMatchObject({ refusal: 'unread' })
  await expect(request('modest').budget.read(async () => 1)).resolves.toBe(1)
})

test('a response whose client has left holds no memory', async () => {
  const { app, unread } = open()
  app.get('/gone', async (request, reply) => {
    reply.raw.destroy()
    await once(reply.raw, 'close')
    unread.reserve(request, reply, 50_000)
  })
  await app.inject('/gone').catch(() => {})
  expect(unread.bytes).toBe(0)
})

test('a response that the gateway makes slowly is not cut off, if the client reads it', async () => {
  const { app, unread } = open()
  const parts = async function* () {
    yield 'first'
    await sleep(5 * LIMITS.responseStallTimeoutMs)
    yield ' second'
  }
  app.get('/slow', (_request, reply) => void reply.send(Readable.from(parts())))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  expect(await (await fetch(`${url}/slow`)).text()).toBe('first second')
  expect(unread.cutOff).toBe(0)
  await app.close()
})

test('a disconnect cancels the reads of a request, also if it came before them', async () => {
  const { request } = open()
  const isCancelled = async () => currentCancellation()?.isCancelled
  for (const when of ['before', 'between', 'after all is sent'] as const) {
    const { raw, budget } = request()
    if (when !== 'before') {
      expect(await budget.read(isCancelled)).toBe(false)
      budget.checkCancelled()
    }
    if (when === 'after all is sent') Object.defineProperty(raw, 'writableFinished', { value: true })
    raw.destroy()
    raw.emit('close')
    expect([when, await budget.read(isCancelled)]).toEqual([when, when !== 'after all is sent'])
    expect([when, await budget.readForStream(isCancelled)]).toEqual([when, when !== 'after all is sent'])
    if (when === 'after all is sent') budget.checkCancelled()
    else expect(() => budget.checkCancelled()).toThrow(expect.objectContaining({ code: CANCELLED }))
  }
})

test('only reads of a response that has begun wait for as long as they must', async () => {
  const { budget } = open().request()
  const isStreaming = async () => currentCancellation()?.isStreaming
  expect([await budget.read(isStreaming), await budget.readForStream(isStreaming)]).toEqual([false, true])
})
