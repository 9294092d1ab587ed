/** A page of a list. Nodes and total are fetched when asked for, each once. */
export interface Page<Node> {
  page: number
  limit: number
  nodes: () => Promise<Node[]>
  /** The nodes as they go out, a JSON array, where they were asked for so. */
  rawJson: () => Promise<string>
  /** How many there are on all pages. */
  total: () => Promise<number>
}

/** What is fetched of a list at once. The total is null where it was not asked for. */
export interface Fetched<Node> {
  nodes: Node[]
  rawJson?: string
  total: number | null
}

interface PageSource<Node> {
  page: number
  limit: number
  /** Whether the page is fetched anyway, so that its total comes with it. */
  hasNodes: boolean
  fetch: (offset: number) => Promise<Fetched<Node>>
  count: () => Promise<number>
}

/** A page from its source: one statement for nodes and total, where both are wanted. */
export function createPage<Node>({ page, limit, hasNodes, fetch, count }: PageSource<Node>): Page<Node> {
  const offset = (page - 1) * limit
  return {
    page,
    limit,
    nodes: async () => (await fetch(offset)).nodes,
    rawJson: async () => {
      const { rawJson } = await fetch(offset)
      if (rawJson === undefined) throw new TypeError('The nodes were not asked for as they go out')
      return rawJson
    },
    total: async () => (hasNodes ? (await fetch(offset)).total : null) ?? count(),
  }
}
