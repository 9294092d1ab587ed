import { showStatus } from '../page/map-lines.tsx'
import { copy, SayingButton } from '../shared/button.tsx'
import { readOwnKey } from '../shared/key.ts'
import { t } from '../shared/text.ts'

/*
 * The address of the view for somebody else. It never has the key.
 */

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
