import { connect, type Socket } from 'node:net'

/** Opens a connection to a server, for requests that no HTTP client would send. */
export function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => resolve(socket))
    // After the connection is open, a reset has no effect here: `readAll` sees the connection close.
    socket.on('error', reject)
  })
}

/** All text that arrives on a connection until it closes. */
export function readAll(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    socket.on('data', (data) => {
      text += data
    })
    socket.on('close', () => resolve(text))
  })
}
