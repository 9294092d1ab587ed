import type { ComponentChildren } from 'preact'
import type { View } from '../data/address.ts'
import { showStatus } from '../page/map-lines.tsx'
import { copy, SayingButton } from '../shared/button.tsx'
import { readOwnKey } from '../shared/key.ts'
import { t } from '../shared/text.ts'
import { ViewLink } from './context.tsx'

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
