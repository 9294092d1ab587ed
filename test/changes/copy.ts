import { expect } from 'vitest'
import { authorization } from '../support/exports.ts'

/** A page of changes, as a client reads it. */
export interface Page {
  status: number
  headers: Headers
  /** The lines before the last one. */
  lines: string[]
  cursor: string
  isComplete: boolean
  body: string
}

interface Gateway {
  url: string
  key: string
}

/** Reads a page. Its last line must be the cursor, and it alone. */
export async function readChanges(
  { url, key }: Gateway,
  slug: string,
  query: { since?: string | undefined; limit?: number } = {},
  headers: Record<string, string> = {},
): Promise<Page> {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  const address = `${url}/changes/${slug}?${new URLSearchParams(given)}`
  const response = await fetch(address, { headers: { ...authorization(key), ...headers } })
  const body = await response.text()
  const page = { status: response.status, headers: response.headers, body }
  if (response.status !== 200) return { ...page, lines: [], cursor: '', isComplete: false }
  expect(body.endsWith('\n')).toBe(true)
  const lines = body.slice(0, -1).split('\n')
  const { cursor, complete, ...others } = JSON.parse(lines.pop() ?? '')
  expect(others).toEqual({})
  return { ...page, lines, cursor, isComplete: complete }
}

/** A copy of a dataset, made by the rules of docs/changes.md. */
export class Copy {
  readonly items = new Map<string, string>()
  dataset: Record<string, unknown> | undefined
  cursor: string | undefined
  isComplete = false
  readonly #gateway: Gateway
  readonly #slug: string

  constructor(gateway: Gateway, slug: string) {
    this.#gateway = gateway
    this.#slug = slug
  }

  /** Applies the next page. After a 410 it begins again. Returns the status. */
  async follow(limit?: number): Promise<number> {
    const page = await readChanges(this.#gateway, this.#slug, {
      since: this.cursor,
      ...(limit !== undefined && { limit }),
    })
    this.isComplete = page.status === 200 && page.isComplete
    if (page.status === 410) {
      this.dataset = undefined
      this.cursor = undefined
    }
    if (page.status !== 200) return page.status
    // What begins without a cursor is a new copy.
    if (this.cursor === undefined) this.items.clear()
    for (const line of page.lines) {
      const change = JSON.parse(line)
      if ('dataset' in change) this.dataset = change.dataset
      else if ('delete' in change) this.items.delete(change.delete)
      else this.items.set(change.put.id, line.slice('{"put":'.length, -1))
    }
    this.cursor = page.cursor
    return page.status
  }

  /** Applies pages until one is complete. */
  async complete(limit?: number): Promise<void> {
    do await this.follow(limit)
    while (!this.isComplete)
  }

  /** The items, sorted by id, as lines. */
  get lines(): string {
    return [...this.items]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, line]) => `${line}\n`)
      .join('')
  }
}

/** The NDJSON export of a dataset. */
export async function exportOf({ url, key }: Gateway, slug: string): Promise<string> {
  const response = await fetch(`${url}/exports/${slug}.ndjson`, { headers: authorization(key) })
  expect(response.status).toBe(200)
  return response.text()
}
