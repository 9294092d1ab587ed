import type { Socket } from 'node:net'
import type { TestApp } from './app.ts'
import { openSocket } from './raw.ts'

/** The text of a request: a GET, or a POST of a JSON body. */
export function requestText(key: string, path: string, body?: string): string {
  const lines = [
    `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1`,
    'Host: catalog.example',
    `Authorization: Bearer ${key}`,
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`
}

/** Sends a request on a new connection, and reads nothing of the response. */
export async function sendUnread(
  { url, key }: Pick<TestApp, 'url' | 'key'>,
  path: string,
  body?: string,
): Promise<Socket> {
  const socket = await openSocket(url)
  socket.pause()
  socket.write(requestText(key, path, body))
  return socket
}
