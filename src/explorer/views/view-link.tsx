import type { ComponentChildren } from 'preact'
import { formatAddress, type View } from '../data/address.ts'

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
