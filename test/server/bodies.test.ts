import type { Socket } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { createKey } from '../../src/auth/keys.ts'
import { useApp } from '../support/app.ts'
import { openSocket } from '../support/raw.ts'

/*
 * Bodies that are being received take memory, which has a bound. They share it with responses that clients have not read.
 */

const BODY_BYTES = 200_000

const t = useApp({ limits: { unreadBytes: 5 * BODY_BYTES, receiveTimeoutMs: 600_000 } })
let otherKey: string
beforeAll(async () => {
  otherKey = (await createKey(t.database.prisma, { name: 'other' })).key
})

interface Begun {
  socket: Socket
  /** What has arrived on the connection. */
  text: string
}

/** Sends the head of a POST, and the beginning of its body. */
async function begin(key: string, header = `Content-Length: ${BODY_BYTES}`): Promise<Begun> {
  const begun: Begun = { socket: await openSocket(t.url), text: '' }
  begun.socket.on('data', (data) => {
    begun.text += data
  })
  const head = [
    'POST /graphql HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    header,
  ]
  begun.socket.write(`${head.join('\r\n')}\r\n\r\n`)
  return begun
}

const heldBytes = () => t.app.unread.bytes

test.each([
  ['of a known length', `Content-Length: ${BODY_BYTES}`, BODY_BYTES],
  ['in chunks, which count as the longest', 'Transfer-Encoding: chunked', 256 * 1024],
])('a key may hold half of the memory with bodies %s, and another key finds room', async (_what, header, bytes) => {
  const begun: Begun[] = []
  // Each may be as long as what is left without it.
  const fits = Math.floor(((5 * BODY_BYTES) / bytes + 1) / 2)
  for (let n = 1; n <= fits; n += 1) {
    begun.push(await begin(t.key, header))
    await expect.poll(heldBytes).toBe(n * bytes)
  }
  const refused = await begin(t.key, header)
  await expect.poll(() => refused.text).toMatch(/^HTTP\/1.1 503 [\s\S]*retry-after: 1[\s\S]*"SERVICE_UNAVAILABLE"/i)
  expect(heldBytes()).toBe(fits * bytes)
  begun.push(await begin(otherKey, header))
  await expect.poll(heldBytes).toBe((fits + 1) * bytes)
  // A small body needs none of it.
  expect((await t.graphql('{ datasets { total } }', {}, otherKey)).status).toBe(200)
  for (const { socket } of [...begun, refused]) socket.destroy()
  await expect.poll(heldBytes).toBe(0)
})

test('a body that has arrived is executed, and its memory is free after the response', async () => {
  const query = JSON.stringify({ query: '{ datasets { total } }' })
  const { socket, ...begun } = await begin(t.key)
  const arrived = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))))
  await expect.poll(heldBytes).toBe(BODY_BYTES)
  socket.write(query.padEnd(BODY_BYTES))
  expect(begun.text + (await arrived)).toContain('{"data":{"datasets":{"total":2}}}')
  await expect.poll(heldBytes).toBe(0)
  socket.destroy()
})
