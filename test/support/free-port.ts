import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Linux gives ports from 32768 to sockets that ask for any, so none of them takes one of these before its user does. */
const [FIRST, END] = [20_000, 32_768]

/** Returns a TCP port on which no process listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END)
    if (await isFree(port)) return port
  }
}

/** Whether no process listens on a TCP port. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
