import type { ComponentChildren } from 'preact'
import type { View } from '../data/address.ts'
import { ShareButton } from './share-button.tsx'
import { ViewLink } from './view-link.tsx'

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
