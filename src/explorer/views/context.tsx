import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { formatAddress, type View } from '../data/address.ts'
import { type Codes, type CodesOf, type Dataset, labelOf, NO_CODES } from '../data/datasets.ts'
import { showStatus } from '../page/map-lines.tsx'
import { copy, SayingButton } from '../shared/button.tsx'
import { readOwnKey } from '../shared/key.ts'
import { useLater } from '../shared/later.ts'
import { t } from '../shared/text.ts'
import type { Legend } from './legend/legend.ts'

/*
 * What each view knows of the page, and the links that all have.
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

export const Context = createContext<ViewContext | undefined>(undefined)

export function usePage(): ViewContext {
  const page = useContext(Context)
  if (!page) throw new TypeError('A view is drawn outside of a page')
  return page
}

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

/** The label of a category or area when it is known; the code if the labels can't be read. */
export function CodeLabel({ of, code, dataset }: { of: keyof Codes; code: string; dataset: string }) {
  const { codesOf } = usePage()
  const codes = useLater(codesOf(dataset), NO_CODES)
  return codes && <Words text={labelOf(code, codes[of])} />
}

/** A longer word is wider than a cell of the table. */
const MAX_WORD = 24

/** A text in which a word with a hyphen, such as `Yeongdeungpo-gu`, breaks only if a line is too short for it. */
export function Words({ text }: { text: string }) {
  const wordOf = (part: string, n: number) =>
    n % 2 === 0 || part.length > MAX_WORD ? part : <span class="word">{part}</span>
  return <>{text.split(/(\S+-\S+)/).map(wordOf)}</>
}

interface BackLineProps {
  to: View
  label: ComponentChildren
  /** Further buttons. */
  children?: ComponentChildren
}

/** The line above a heading: the way back, and the buttons to share the view. */
export function BackLine({ to, label, children }: BackLineProps) {
  return (
    <p class="back">
      <ViewLink to={to} isBack>
        {label}
      </ViewLink>
      {children}
      <ShareButton />
    </p>
  )
}

/** A button that opens the system's share sheet where there is one, and copies the address elsewhere. */
export function ShareButton() {
  return <SayingButton class="button share" label={t.share} act={share} />
}

async function share(say: (message: string) => void): Promise<void> {
  const { href } = location
  if (!navigator.canShare?.({ url: href })) {
    if (await copy(href, say)) showStatus(readOwnKey() ? t.linkCopied : t.publicLinkCopied)
    return
  }
  try {
    await navigator.share({ title: document.title, url: href })
  } catch (error) {
    // A person may close the sheet.
    if (error instanceof DOMException && error.name !== 'AbortError') say(error.message)
  }
}
