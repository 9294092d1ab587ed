import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { formatAddress, type View } from '../data/address.ts'
import { type CodesOf, NO_CODES } from '../data/codes.ts'
import type { Dataset } from '../data/datasets.ts'
import type { Legend } from './legend/legend.ts'

/*
 * What each view knows of the page.
 */

export interface ViewContext {
  view: View
  datasets: readonly Dataset[]
  /** The dataset of the view. */
  dataset: Dataset | undefined
  codesOf: CodesOf
  /** The colours of the map, which the list has too, when they are known. */
  legend: Promise<Legend>
  /** Opens another view, with an entry in the history. */
  open: (view: View) => void
  /** Opens a search around a point. */
  searchNear: (near: NonNullable<View['near']>) => void
  /** Waits for a click on the map, for a search around it. */
  pick: (radius: number) => void
}

const NO_PAGE: ViewContext = {
  view: {},
  datasets: [],
  dataset: undefined,
  codesOf: async () => NO_CODES,
  legend: new Promise(() => {}),
  open: () => {},
  searchNear: () => {},
  pick: () => {},
}

export const Context = createContext(NO_PAGE)
export const usePage = () => useContext(Context)

interface ViewLinkProps {
  to: View
  children: ComponentChildren
  class?: string
  title?: string | undefined
  /** Whether it is the way back, which goes back in the history. */
  isBack?: boolean
  'data-focus'?: string
  'aria-current'?: 'true' | undefined
}

/** A link to another view of the page. The page opens it without a new load. */
export function ViewLink({ to, isBack = false, children, ...attributes }: ViewLinkProps) {
  return (
    <a href={formatAddress(to)} data-view={isBack ? 'back' : ''} dir="auto" {...attributes}>
      {children}
    </a>
  )
}
