import type { Shared } from './link.ts'

/*
 * Chooses the tab that GraphiQL opens. GraphiQL keeps its tabs in the browser's local storage, and opens the tab with the given
 * content. Without content it would add an empty tab on each visit.
 */

const STORAGE_NAME = 'graphiql:tabState'

interface Tab {
  query: string | null
  variables: string | null
}

interface Start {
  /** The tab to open. */
  open: { query?: string; variables?: string }
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
  const last = lastTab()
  if (!last) return { open: {}, tabs }
  return { open: { query: last.query ?? '', variables: last.variables ?? '' }, tabs }
}

function lastTab(): Tab | undefined {
  try {
    const { tabs, activeTabIndex }: { tabs: Tab[]; activeTabIndex: number } = JSON.parse(
      localStorage.getItem(STORAGE_NAME) ?? '',
    )
    return tabs[activeTabIndex]
  } catch {
    // There is no stored tab, or another version of GraphiQL wrote it.
    return undefined
  }
}
