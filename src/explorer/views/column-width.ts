import { t } from '../shared/text.ts'
import { splitter } from './splitter.ts'

/*
 * The widths of the table's columns, each with a handle in its heading.
 */

/** Pixels. */
const MIN_WIDTH = 48
const MAX_WIDTH = 800

/** The widths that a person has chosen, by field. The next page of the table has them too. */
const widths = new Map<string, number>()

/**
 * Creates the handle of a column.
 * @param cells are the heading and the other cells of the column
 */
export function widthHandle(field: string, label: string, cells: readonly HTMLElement[]): HTMLElement {
  const chosen = widths.get(field)
  if (chosen !== undefined) applyWidth(cells, chosen)
  return splitter({
    class: 'width-handle',
    label: t.widthOf(label),
    width: () => Math.round(cells[0]?.getBoundingClientRect().width ?? MIN_WIDTH),
    least: () => MIN_WIDTH,
    most: () => MAX_WIDTH,
    setWidth: (width) => {
      widths.set(field, width)
      applyWidth(cells, width)
    },
  })
}

/** A cell of a table has no width of its own, so its limits say it. */
function applyWidth(cells: readonly HTMLElement[], width: number): void {
  for (const { style, classList } of cells) {
    style.minWidth = `${width}px`
    style.maxWidth = `${width}px`
    classList.add('has-width')
  }
}
