/** A page of a list. Nodes and total are read when they are called for; the loaders read each once. */
export interface Page<Node> {
  page: number
  limit: number
  nodes: () => Promise<Node[]>
  /** The nodes as a JSON array for clients. Throws unless the projection has `rawJson`. */
  rawJson: () => Promise<string>
  /** Number of nodes on all pages. */
  total: () => Promise<number>
}

/** A part of a list from one statement. The total is null unless it was requested. */
export interface Fetched<Node> {
  nodes: Node[]
  rawJson?: string
  total: number | null
}

interface PageSource<Node> {
  page: number
  limit: number
  /** Whether the nodes are read too. Then their statement returns the total as well. */
  hasNodes: boolean
  fetch: (offset: number) => Promise<Fetched<Node>>
  count: () => Promise<number>
}

/** A page from its source. Nodes and total take one statement if the query requests both. */
export function createPage<Node>({ page, limit, hasNodes, fetch, count }: PageSource<Node>): Page<Node> {
  const offset = (page - 1) * limit
  return {
    page,
    limit,
    nodes: async () => (await fetch(offset)).nodes,
    rawJson: async () => {
      const { rawJson } = await fetch(offset)
      if (rawJson === undefined) throw new TypeError('The projection of the page has no rawJson')
      return rawJson
    },
    total: async () => (hasNodes ? (await fetch(offset)).total : null) ?? count(),
  }
}
