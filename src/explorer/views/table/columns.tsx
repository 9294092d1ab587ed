import { useRef, useState } from 'preact/hooks'
import { isSortable } from '../../data/address.ts'
import { COLUMNS, type Column, type Table } from '../../data/table-columns.ts'
import { Splitter } from '../../shared/splitter.tsx'
import { fill, t } from '../../shared/text.ts'
import { usePage, ViewLink } from '../context.tsx'

/*
 * The columns of the table: their headings with the order of the rows, their widths, and which are shown.
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

/** A column that the API sorts by is a link. The second click turns the order round. */
export function ColumnHead({ column: { field, label, sort }, table, widths }: ColumnHeadProps) {
  const { view } = usePage()
  const head = useRef<HTMLTableCellElement>(null)
  const canSort = sort !== undefined && isSortable(view)
  const isSorted = canSort && sort === table.sort
  const { isDescending } = table
  const next = { ...table, ...(sort && { sort }), isDescending: isSorted && !isDescending, page: 1 }
  const arrow = isSorted ? (isDescending ? ' ↓' : ' ↑') : ''
  const order = isDescending ? 'descending' : 'ascending'
  return (
    <th ref={head} scope="col" aria-sort={isSorted ? order : undefined} {...widths.styleOf(field)}>
      {canSort ? (
        <ViewLink to={{ ...view, table: next }} data-focus={`sort-${sort}`}>
          {label + arrow}
        </ViewLink>
      ) : (
        label
      )}
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

/** The choice stays open while a person chooses several columns. */
let isChoiceOpen = false

/** The boxes that choose the columns of the table. */
export function ColumnChoice({ table }: { table: Table }) {
  const { view, open } = usePage()
  return (
    <details
      class="columns"
      open={isChoiceOpen}
      onToggle={({ currentTarget }) => {
        isChoiceOpen = currentTarget.open
      }}
    >
      <summary>{t.columns}</summary>
      <form
        // All boxes count: a person may tick the next one before the table has the last one.
        onChange={({ currentTarget }) => {
          const chosen = new FormData(currentTarget).getAll('column').map(String)
          open({ ...view, table: { ...table, fields: ['name', ...chosen] } })
        }}
      >
        {COLUMNS.filter(({ field }) => field !== 'name').map(({ field, label }) => (
          <label key={field}>
            <input
              type="checkbox"
              name="column"
              value={field}
              defaultChecked={table.fields.includes(field)}
              data-focus={`column-${field}`}
            />{' '}
            {label}
          </label>
        ))}
      </form>
    </details>
  )
}
