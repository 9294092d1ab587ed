import { lookup } from 'node:dns/promises'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Config } from '../config/config.ts'
import { urlOf } from '../config/url.ts'
import { cannotListen } from '../server/lifecycle.ts'

/**
 * Listens for connections without reading from them. Like Fastify, it listens on all addresses of `localhost`.
 * @returns the URL, and a function that stops to listen
 * @throws `OPERATION_FAILED` if the address can't be listened on
 */
export async function listenForConnections(
  { host, port }: Pick<Config, 'host' | 'port'>,
  onConnection: (socket: Socket) => void,
): Promise<{ url: string; close: () => void }> {
  const servers: Server[] = []
  const listenOn = (address: string, port: number) =>
    new Promise<AddressInfo>((resolve, reject) => {
      const server = createServer({ pauseOnConnect: true, noDelay: true, allowHalfOpen: true }, onConnection)
      servers.push(server)
      // A later error is that of a connection which the system could not accept. The next one may succeed.
      server.on('error', reject)
      server.listen({ host: address, port }, () => {
        const listening = server.address()
        if (listening instanceof Object) resolve(listening)
      })
    })
  try {
    const addresses = host === 'localhost' ? (await lookup(host, { all: true })).map(({ address }) => address) : [host]
    const [first = host, ...others] = addresses
    const listening = await listenOn(first, port)
    for (const other of others) await listenOn(other, listening.port)
    return { url: urlOf(listening), close: () => closeAll(servers) }
  } catch (error) {
    closeAll(servers)
    throw cannotListen({ host, port }, error)
  }
}

function closeAll(servers: readonly Server[]): void {
  for (const server of servers) server.close()
}
