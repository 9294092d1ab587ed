/** A page of a list. Nodes and total are fetched when asked for, each once. */
export interface Page<Node> {
  page: number
  limit: number
  nodes: () => Promise<Node[]>
  /** How many there are on all pages. */
  total: () => Promise<number>
}

interface PageSource<Node> {
  page: number
  limit: number
  fetch: (offset: number) => Promise<Node[]>
  count: () => Promise<number>
}

/** A page that does not walk the list to learn that it lies behind its end. */
export function createPage<Node>({ page, limit, fetch, count }: PageSource<Node>): Page<Node> {
  const offset = (page - 1) * limit
  return {
    page,
    limit,
    nodes: async () => (offset === 0 || offset < (await count()) ? fetch(offset) : []),
    total: count,
  }
}
