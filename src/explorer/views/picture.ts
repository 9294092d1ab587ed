import { button, type Child, element } from '../shared/dom.ts'
import { SERVER } from '../shared/server.ts'
import { t } from '../shared/text.ts'
import type { Picture } from './data.ts'
import { pictureUrl } from './safe-url.ts'

/*
 * A picture of an item. A picture on this server is shown at once. A picture on another server is loaded after a click, so that
 * no other server learns what a person looks at.
 */

/** Creates the figure of a picture. */
export function pictureFigure({ thumbnailMediumUrl, originalUrl, altText }: Picture): HTMLElement {
  const preview = pictureUrl(thumbnailMediumUrl, SERVER)
  const original = pictureUrl(originalUrl, SERVER)
  const frame = element('div', { class: 'frame', tabindex: -1 })
  const link = (url: URL, ...content: Child[]) =>
    element('a', { href: url.href, target: '_blank', rel: 'noopener noreferrer', title: t.original }, ...content)
  const shown = (url: URL) => (original ? link(original, image(url, altText)) : image(url, altText))
  if (!preview) frame.append(note(t.noPictureAddress))
  else if (preview.origin === location.origin) frame.append(shown(preview))
  else {
    const load = () => {
      frame.replaceChildren(shown(preview))
      // The button that had the focus is gone.
      frame.focus()
    }
    frame.append(button(t.loadPicture(preview.host), load, { class: 'button' }))
  }
  return element(
    'figure',
    {},
    frame,
    element(
      'figcaption',
      {},
      element('span', { dir: 'auto' }, altText || t.noDescription),
      original && ' · ',
      original && link(original, t.original),
    ),
  )
}

/** A small picture of a place in a list, if it is on this server. */
export function thumbnail(address: string | null): HTMLElement | undefined {
  const url = pictureUrl(address ?? '', SERVER)
  if (url?.origin !== location.origin) return undefined
  const made = element('img', { class: 'thumbnail', src: url.href, alt: '', loading: 'lazy' })
  made.addEventListener('error', () => made.remove())
  return made
}

function image(url: URL, alt: string): HTMLImageElement {
  const made = element('img', { src: url.href, alt, loading: 'lazy', referrerpolicy: 'no-referrer' })
  made.addEventListener('error', () => made.replaceWith(note(t.pictureFailed)))
  return made
}

function note(text: string): HTMLElement {
  return element('p', { class: 'soft' }, text)
}
