import { element } from '../shared/dom.ts'

/*
 * The widths of the table's columns. A handle in the heading is dragged, or moved with the arrow keys
 * (https://www.w3.org/WAI/ARIA/apg/patterns/windowsplitter/).
 */

/** Pixels. */
const MIN_WIDTH = 48
const MAX_WIDTH = 800
const STEP = 16

/** The widths that a person has chosen, by field. The next page of the table has them too. */
const widths = new Map<string, number>()

/**
 * Creates the handle of a column.
 * @param cells are the heading and the other cells of the column
 */
export function widthHandle(field: string, label: string, cells: readonly HTMLElement[]): HTMLElement {
  const handle = element('span', {
    class: 'width-handle',
    role: 'separator',
    tabindex: 0,
    'aria-orientation': 'vertical',
    'aria-label': `Width of ${label}`,
    'aria-valuemin': MIN_WIDTH,
    'aria-valuemax': MAX_WIDTH,
    'aria-valuenow': widths.get(field) ?? MIN_WIDTH,
  })
  const widthNow = () => Math.round(cells[0]?.getBoundingClientRect().width ?? MIN_WIDTH)
  const setWidth = (wanted: number) => {
    const width = Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, Math.round(wanted)))
    widths.set(field, width)
    applyWidth(cells, width)
    handle.setAttribute('aria-valuenow', String(width))
  }
  const chosen = widths.get(field)
  if (chosen !== undefined) applyWidth(cells, chosen)
  // The browser chooses the width of a column when the table is on the page.
  else requestAnimationFrame(() => handle.setAttribute('aria-valuenow', String(widthNow())))
  handle.addEventListener('keydown', (event) => {
    const width = widthAfter(event.key, widthNow())
    if (width === undefined) return
    event.preventDefault()
    setWidth(width)
  })
  handle.addEventListener('pointerdown', (event) => {
    event.preventDefault()
    handle.setPointerCapture(event.pointerId)
    const offset = widthNow() - event.clientX
    const drag = (move: PointerEvent) => setWidth(move.clientX + offset)
    handle.addEventListener('pointermove', drag)
    handle.addEventListener('lostpointercapture', () => handle.removeEventListener('pointermove', drag), { once: true })
  })
  return handle
}

/** The width that a key asks for; undefined for other keys. */
function widthAfter(key: string, width: number): number | undefined {
  switch (key) {
    case 'ArrowLeft':
      return width - STEP
    case 'ArrowRight':
      return width + STEP
    case 'Home':
      return MIN_WIDTH
    case 'End':
      return MAX_WIDTH
  }
  return undefined
}

/** A cell of a table has no width of its own, so its limits say it. */
function applyWidth(cells: readonly HTMLElement[], width: number): void {
  for (const { style, classList } of cells) {
    style.minWidth = `${width}px`
    style.maxWidth = `${width}px`
    classList.add('has-width')
  }
}
