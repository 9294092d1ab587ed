import { Agent, type IncomingHttpHeaders, request } from 'node:http'

export interface Answered {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

interface Ask {
  headers?: Record<string, string>
  body?: string
  agent?: Agent
}

/** Sends a request: a GET, or a POST of a JSON body. Without an agent it has a connection that no other request uses. */
export function ask(url: string, { headers = {}, body, agent }: Ask = {}): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      agent: agent ?? false,
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    })
    sent.on('error', reject)
    sent.on('response', (response) => {
      response
        .setEncoding('utf8')
        .toArray()
        .then(
          (parts) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: parts.join('') }),
          reject,
        )
    })
    sent.end(body)
  })
}

/** An agent with one connection that stays open. */
export function oneConnection(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 1 })
}
