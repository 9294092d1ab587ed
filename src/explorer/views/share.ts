import { showStatus } from '../map/map-lines.ts'
import { button, copy, showOnButton } from '../shared/dom.ts'
import { readOwnKey } from '../shared/key.ts'
import { t } from '../shared/text.ts'

/*
 * The address of the view for somebody else. It never has the key.
 */

/** Creates a button that opens the system's share sheet where there is one, and copies the address elsewhere. */
export function shareButton(): HTMLButtonElement {
  const made: HTMLButtonElement = button(
    t.share,
    async () => {
      const { href } = location
      if (!navigator.canShare?.({ url: href }))
        return (await copy(href, made)) && showStatus(readOwnKey() ? t.linkCopied : t.publicLinkCopied)
      try {
        await navigator.share({ title: document.title, url: href })
      } catch (error) {
        // A person may close the sheet.
        if (error instanceof DOMException && error.name !== 'AbortError') showOnButton(error.message, made)
      }
    },
    { class: 'button share' },
  )
  return made
}
