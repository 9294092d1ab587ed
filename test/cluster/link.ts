import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A network link to a server, as a TCP proxy: it can be cut while both sides live, and be slow. */
export interface Link {
  /** Holds everything, as a network that loses all packets. */
  cut: () => void
  /** Delivers what was held, as TCP does when packets arrive again. */
  heal: () => void
  /** Delays what is sent in each direction. */
  setDelay: (ms: number) => void
  close: () => void
}

export interface Address {
  host: string
  port: number
}

/** Opens a link from an address to another one. */
export async function openLink(from: Address, to: Address): Promise<Link> {
  const sockets = new Set<Socket>()
  const held: (() => void)[] = []
  let [isCut, delayMs] = [false, 0]
  const forward = (source: Socket, target: Socket) => {
    sockets.add(source)
    source.setNoDelay(true)
    if (isCut) source.pause()
    const send = (deliver: () => void) => void (delayMs > 0 ? setTimeout(deliver, delayMs) : deliver())
    source.on('data', (data) => send(() => target.write(data)))
    source.on('error', () => source.destroy())
    source.on('close', () => {
      sockets.delete(source)
      send(() => target.destroy())
    })
  }
  const join = (client: Socket) => {
    const server = connect(to)
    forward(client, server)
    forward(server, client)
    client.resume()
  }
  const listener = createServer({ pauseOnConnect: true }, (client) => {
    client.on('error', () => client.destroy())
    if (isCut) held.push(() => join(client))
    else join(client)
  })
  listener.listen(from)
  await once(listener, 'listening')
  return {
    cut: () => {
      isCut = true
      for (const socket of sockets) socket.pause()
    },
    heal: () => {
      isCut = false
      for (const socket of sockets) socket.resume()
      for (const deliver of held.splice(0)) deliver()
    },
    setDelay: (ms) => {
      delayMs = ms
    },
    close: () => {
      listener.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
