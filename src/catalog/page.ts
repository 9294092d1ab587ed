/** A page of a list. Each function reads its part from the database; the loaders read a part only once. */
export interface Page<Node> {
  page: number
  limit: number
  nodes: () => Promise<Node[]>
  /** The nodes as a JSON array for clients. Throws unless the projection has `rawJson`. */
  rawJson: () => Promise<string>
  /** Number of nodes on all pages. */
  total: () => Promise<number>
}

/** The result of one statement: a part of a list. The total is null unless it was requested. */
export interface Fetched<Node> {
  nodes: Node[]
  rawJson?: string
  total: number | null
}

interface PageSource<Node> {
  page: number
  limit: number
  /** Whether the query requests the nodes. Their statement returns the total too. */
  hasNodes: boolean
  fetch: (offset: number) => Promise<Fetched<Node>>
  count: () => Promise<number>
}

/** Creates a page. One statement reads the nodes and the total if the query requests both. */
export function createPage<Node>({ page, limit, hasNodes, fetch, count }: PageSource<Node>): Page<Node> {
  let fetched: Promise<Fetched<Node>> | undefined
  const window = () => {
    fetched ??= fetch((page - 1) * limit)
    return fetched
  }
  return {
    page,
    limit,
    nodes: async () => (await window()).nodes,
    rawJson: async () => {
      const { rawJson } = await window()
      if (rawJson === undefined) throw new TypeError('The projection of the page has no rawJson')
      return rawJson
    },
    total: async () => (hasNodes ? (await window()).total : null) ?? count(),
  }
}
