import { element } from '../shared/dom.ts'

/*
 * Handles that change a width: dragged, or moved with the arrow keys (https://www.w3.org/WAI/ARIA/apg/patterns/windowsplitter/).
 */

/** Pixels. */
const STEP = 16

/** A width that a handle changes, in pixels. */
export interface Split {
  /** The class of the handle. */
  class: string
  label: string
  width: () => number
  least: () => number
  most: () => number
  setWidth: (width: number) => void
}

/** Creates the handle of a width. */
export function splitter({ label, width, least, most, setWidth, ...attributes }: Split): HTMLElement {
  const handle = element('span', {
    ...attributes,
    role: 'separator',
    tabindex: 0,
    'aria-orientation': 'vertical',
    'aria-label': label,
  })
  const say = (now: number) => {
    handle.setAttribute('aria-valuemin', String(Math.round(least())))
    handle.setAttribute('aria-valuemax', String(Math.round(most())))
    handle.setAttribute('aria-valuenow', String(Math.round(now)))
  }
  const change = (wanted: number) => {
    const next = Math.round(Math.min(most(), Math.max(least(), wanted)))
    setWidth(next)
    say(next)
  }
  say(least())
  // The browser chooses the first width when the handle is on the page. Later widths may depend on the window.
  requestAnimationFrame(() => say(width()))
  handle.addEventListener('focus', () => say(width()))
  handle.addEventListener('keydown', (event) => {
    const wanted = widthAfter(event.key, { now: width(), least: least(), most: most() })
    if (wanted === undefined) return
    event.preventDefault()
    change(wanted)
  })
  handle.addEventListener('pointerdown', (event) => {
    event.preventDefault()
    handle.setPointerCapture(event.pointerId)
    const offset = width() - event.clientX
    const drag = (move: PointerEvent) => change(move.clientX + offset)
    handle.addEventListener('pointermove', drag)
    handle.addEventListener('lostpointercapture', () => handle.removeEventListener('pointermove', drag), { once: true })
  })
  return handle
}

/** The width that a key asks for; undefined for other keys. */
function widthAfter(key: string, { now, least, most }: { now: number; least: number; most: number }) {
  switch (key) {
    case 'ArrowLeft':
      return now - STEP
    case 'ArrowRight':
      return now + STEP
    case 'Home':
      return least
    case 'End':
      return most
  }
  return undefined
}
