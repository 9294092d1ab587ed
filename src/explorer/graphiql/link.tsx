import { copy, SayingButton } from '../shared/button.tsx'

/*
 * The address of the page holds the query and its variables, so a reload, a bookmark and a link show the same. It never holds
 * the key or a header.
 */

export interface Shared {
  query: string
  variables: string
}

/** The gateway refuses addresses over 12 kB, and proxies often those over 8 kB. A longer query stays in the tab only. */
const MAX_ADDRESS_LENGTH = 8_000

/** Returns the query and variables in the address, undefined when there is no query. */
export function readAddress(): Shared | undefined {
  const params = new URLSearchParams(location.search)
  const query = params.get('query')
  return query === null ? undefined : { query, variables: params.get('variables') ?? '' }
}

interface TabState {
  tabs: { query: string | null; variables: string | null }[]
  activeTabIndex: number
}

/** Returns handlers that keep the address equal to GraphiQL's query, and a button that copies the link. */
export function createLink(start: Shared) {
  let shown = start
  const show = (change: Partial<Shared>) => {
    shown = { ...shown, ...change }
    history.replaceState(history.state, '', pathOf(shown) ?? location.pathname)
  }
  const copyLink = (say: (message: string) => void) => {
    const path = pathOf(shown)
    if (path === undefined) say('Too long for a link')
    else void copy(location.origin + path, say)
  }
  return {
    copyButton: (
      <SayingButton
        label="Copy link"
        title="Copies a link to this query and its variables, without your key"
        act={copyLink}
      />
    ),
    handlers: {
      onEditQuery: (query: string) => show({ query }),
      onEditVariables: (variables: string) => show({ variables }),
      onTabChange: ({ tabs, activeTabIndex }: TabState) => {
        const tab = tabs[activeTabIndex]
        show({ query: tab?.query ?? '', variables: tab?.variables ?? '' })
      },
    },
  }
}

/** Returns the path of a link to a query, undefined when it is too long. */
function pathOf({ query, variables }: Shared): string | undefined {
  const params = new URLSearchParams({ ...(query.trim() && { query }), ...(variables.trim() && { variables }) })
  const path = params.size > 0 ? `${location.pathname}?${params}` : location.pathname
  return path.length > MAX_ADDRESS_LENGTH ? undefined : path
}
