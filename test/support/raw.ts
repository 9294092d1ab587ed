import { connect, type Socket } from 'node:net'

/** Opens a connection to a server, to send on it what no HTTP client would. */
export function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => resolve(socket))
    // After it is open, being cut off is for `everything` to tell of.
    socket.on('error', reject)
  })
}

/** All that comes on a connection until the server closes it. */
export function everything(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    socket.on('data', (data) => {
      text += data
    })
    socket.on('close', () => resolve(text))
  })
}
