import { copy, SayingButton } from '../shared/button.tsx'

/*
 * The address of the page holds the query and its variables, so a reload, a bookmark and a link show the same. It never holds
 * the key or a header.
 */

interface Shared {
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

/** As GraphiQL reports it, and keeps it in the browser's local storage. */
interface TabState {
  tabs: { query: string | null; variables: string | null }[]
  activeTabIndex: number
}

/** Returns the query and variables of the open tab. */
const openTab = ({ tabs, activeTabIndex }: TabState): Shared => {
  const { query, variables } = tabs[activeTabIndex] ?? {}
  return { query: query ?? '', variables: variables ?? '' }
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
      onTabChange: (state: TabState) => show(openTab(state)),
    },
  }
}

/** Returns the path of a link to a query, undefined when it is too long. */
function pathOf({ query, variables }: Shared): string | undefined {
  const params = new URLSearchParams({ ...(query.trim() && { query }), ...(variables.trim() && { variables }) })
  const path = params.size > 0 ? `${location.pathname}?${params}` : location.pathname
  return path.length > MAX_ADDRESS_LENGTH ? undefined : path
}

interface Start {
  /** The tab to open. Without content, GraphiQL would add an empty tab on each visit. */
  open: Partial<Shared>
  /** The tabs of a first visit. */
  tabs: { query: string; variables?: string }[]
}

/** Returns the tab to open: the query of the address, or else the tab of the last visit, or else the examples. */
export function startTabs(
  shared: Shared | undefined,
  examples: readonly string[],
  variables: Readonly<Record<string, object>>,
): Start {
  const tabs = examples.map((query) => {
    const values = variables[/query (\w+)/.exec(query)?.[1] ?? '']
    return values ? { query, variables: JSON.stringify(values, undefined, 2) } : { query }
  })
  if (shared) return { open: shared, tabs: [shared, ...tabs] }
  try {
    return { open: openTab(JSON.parse(localStorage.getItem('graphiql:tabState') ?? '')), tabs }
  } catch {
    // There is no stored tab, or another version of GraphiQL wrote it.
    return { open: {}, tabs }
  }
}
