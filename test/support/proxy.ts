import { connect, createServer, type Socket } from 'node:net'
import { freePort } from './free-port.ts'

/** A TCP proxy in front of PostgreSQL that can cut, reset or silence its connections. */
export interface DatabaseProxy {
  /** The URL of the server through the proxy. */
  url: string
  /** Closes all connections, and accepts no new ones. */
  cut: () => Promise<void>
  /**
   * Ends all connections with a TCP reset, so that Node reports ECONNRESET. The newest is first, so a statement fails before the change feed
   * does: otherwise its read begins again.
   */
  reset: () => void
  /** Forwards no more data, and keeps all connections open. */
  silence: () => void
  /** Forwards new connections to the server of another URL. */
  moveTo: (serverUrl: string) => void
  /** Accepts and forwards new connections again. */
  restore: () => Promise<void>
  close: () => Promise<void>
}

/**
 * Opens a proxy to the server of a URL. With `isOpen: false` it accepts no connections until `restore`.
 * @param holdMs returns how long to hold what has arrived. The order stays
 */
export async function openProxy(
  serverUrl: string,
  { isOpen = true, holdMs = () => 0 }: { isOpen?: boolean; holdMs?: () => number } = {},
): Promise<DatabaseProxy> {
  let target = new URL(serverUrl)
  const sockets = new Set<Socket>()
  let isSilent = false
  const track = (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
  }
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      track(from)
      let freeAt = 0
      const send = (deliver: () => void) => {
        const now = performance.now()
        freeAt = Math.max(now + holdMs(), freeAt)
        if (freeAt <= now) deliver()
        else setTimeout(deliver, freeAt - now)
      }
      from.setNoDelay(true)
      from.on('data', (data) => {
        if (!isSilent) send(() => to.write(data))
      })
      from.on('close', () => send(() => to.destroy()))
    }
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()))
  const cut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  // Nothing else takes this port while the proxy is cut.
  const port = await freePort()
  await listen(port)
  if (!isOpen) await cut()
  const url = Object.assign(new URL(serverUrl), { hostname: '127.0.0.1', port: String(port) }).href
  return {
    url,
    cut,
    reset: () => {
      for (const socket of [...sockets].reverse()) socket.resetAndDestroy()
    },
    silence: () => {
      isSilent = true
    },
    moveTo: (serverUrl) => {
      target = new URL(serverUrl)
    },
    restore: async () => {
      isSilent = false
      if (!server.listening) await listen(port)
    },
    close: async () => {
      if (server.listening) await cut()
    },
  }
}
