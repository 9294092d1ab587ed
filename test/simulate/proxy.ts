import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { Random } from './random.ts'

/** A TCP proxy in front of PostgreSQL that holds some messages for some time. */
export interface DelayProxy {
  /** The URL of the server through the proxy. */
  url: string
  /** Whether it holds messages. At first it does not. */
  setActive: (isActive: boolean) => void
  close: () => Promise<void>
}

/** Of the packets, this part is held in a second with holds, */
const HELD = 0.15
/** for up to this time. Mostly it is short. */
const MAX_HOLD_MS = 400

/** Opens a proxy to the server of a URL. On one connection it never changes the order. */
export async function openDelayProxy(serverUrl: string, seed: string): Promise<DelayProxy> {
  const target = new URL(serverUrl)
  const random = new Random(seed)
  const sockets = new Set<Socket>()
  let isActive = false
  // Every other time, a proxy holds nothing for a while, so that many requests fall between two changes.
  let stormyUntil = 0
  let calmUntil = 0
  const isStormy = () => {
    const now = performance.now()
    if (now > calmUntil) {
      stormyUntil = now + 500 + random.below(2_500)
      calmUntil = stormyUntil + random.below(3_000)
    }
    return now < stormyUntil
  }
  const forward = (from: Socket, to: Socket) => {
    sockets.add(from)
    let freeAt = 0
    const send = (deliver: () => void) => {
      const hold = isActive && isStormy() && random.chance(HELD) ? random.mostlyLow(1, MAX_HOLD_MS) : 0
      const now = performance.now()
      const at = Math.max(now + hold, freeAt)
      freeAt = at
      if (at <= now) deliver()
      else setTimeout(deliver, at - now)
    }
    from.setNoDelay(true)
    from.on('data', (data) => send(() => to.write(data)))
    from.on('error', () => from.destroy())
    from.on('close', () => {
      sockets.delete(from)
      send(() => to.destroy())
    })
  }
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname)
    forward(client, upstream)
    forward(upstream, client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('The proxy has no port')
  return {
    url: Object.assign(new URL(serverUrl), { hostname: '127.0.0.1', port: String(address.port) }).href,
    setActive: (active) => {
      isActive = active
    },
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
