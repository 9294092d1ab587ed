import { useRef, useState } from 'preact/hooks'
import { isSortable, type View } from '../../data/address.ts'
import type { Column, Table } from '../../data/table-columns.ts'
import { Splitter } from '../../shared/splitter.tsx'
import { fill, t } from '../../shared/text.ts'
import { usePage, ViewLink } from '../context.tsx'

/*
 * The headings of the table: the order of the rows, and the width of a column.
 */

/** Pixels. */
const MIN_WIDTH = 48
const MAX_WIDTH = 800

/** The widths that a person has chosen, by field. The next page of the table has them too. */
const chosenWidths = new Map<string, number>()

export interface Widths {
  /** A cell of a table has no width of its own, so its limits say it. */
  styleOf: (field: string) => { class?: string; style?: { minWidth: string; maxWidth: string } }
  set: (field: string, width: number) => void
}

/** Returns the widths of the columns. A change draws the table again. */
export function useWidths(): Widths {
  const [, draw] = useState(0)
  return {
    styleOf: (field) => {
      const width = chosenWidths.get(field)
      if (width === undefined) return {}
      return { class: 'has-width', style: { minWidth: `${width}px`, maxWidth: `${width}px` } }
    },
    set: (field, width) => {
      chosenWidths.set(field, width)
      draw((times) => times + 1)
    },
  }
}

interface ColumnHeadProps {
  column: Column
  table: Table
  widths: Widths
}

export function ColumnHead({ column, table, widths }: ColumnHeadProps) {
  const { view } = usePage()
  const head = useRef<HTMLTableCellElement>(null)
  const { field, label } = column
  return (
    <th ref={head} scope="col" aria-sort={sortedBy(column, view)} {...widths.styleOf(field)}>
      <Heading column={column} table={table} />
      <Splitter
        class="width-handle"
        label={fill(t.widthOf, { column: label })}
        width={() => Math.round(head.current?.getBoundingClientRect().width ?? MIN_WIDTH)}
        least={() => MIN_WIDTH}
        most={() => MAX_WIDTH}
        setWidth={(width) => widths.set(field, width)}
      />
    </th>
  )
}

function sortedBy({ sort }: Column, view: View): 'ascending' | 'descending' | undefined {
  if (sort === undefined || sort !== view.table?.sort || !isSortable(view)) return undefined
  return view.table.isDescending ? 'descending' : 'ascending'
}

/** A column that the API sorts by is a link. The second click turns the order round. */
function Heading({ column: { label, sort }, table }: Pick<ColumnHeadProps, 'column' | 'table'>) {
  const { view } = usePage()
  if (sort === undefined || !isSortable(view)) return <>{label}</>
  const isSorted = sort === table.sort
  const next = { ...table, sort, isDescending: isSorted && !table.isDescending, page: 1 }
  const arrow = isSorted ? (table.isDescending ? ' ↓' : ' ↑') : ''
  return (
    <ViewLink to={{ ...view, table: next }} data-focus={`sort-${sort}`}>
      {label + arrow}
    </ViewLink>
  )
}
