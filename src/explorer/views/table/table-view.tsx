import type { View } from '../../data/address.ts'
import type { Codes } from '../../data/datasets.ts'
import { COLUMNS, type Column, type Row, type Table } from '../../data/table-columns.ts'
import { useLater } from '../../shared/later.ts'
import { distance, fill, t } from '../../shared/text.ts'
import { CodeLabel, usePage, ViewLink, Words } from '../context.tsx'
import { PAGE_SIZE } from '../places/request.ts'
import { ColumnChoice, ColumnHead, useWidths, type Widths } from './columns.tsx'

/*
 * Places as a table. Those of a dataset are sorted as the API sorts; a search and a circle have an order of their own. The order, the
 * columns and the pages are links.
 */

interface TableProps {
  table: Table
  rows: readonly Row[]
  total: Promise<number>
}

/** The table with its pages and the choice of its columns. */
export function TableView({ table, rows, total }: TableProps) {
  const { view } = usePage()
  const columns = columnsOf(view, table)
  const widths = useWidths()
  return (
    <section class="table-view" aria-label={t.table}>
      <ColumnChoice table={table} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, so the keyboard must reach it */}
      {/* biome-ignore lint/a11y/useSemanticElements: a region inside of a section */}
      <div class="table-frame" role="region" aria-label={t.rows} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <ColumnHead key={column.field} column={column} table={table} widths={widths} />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id}>
                {columns.map((column) => (
                  <Cell key={column.field} field={column.field} row={row} widths={widths} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Pages table={table} total={total} />
    </section>
  )
}

/** The chosen columns, and the distance around a point. */
function columnsOf({ near }: View, { fields }: Table): Column[] {
  const [name, ...others] = COLUMNS.filter(({ field }) => fields.includes(field))
  return [...(name ? [name] : []), ...(near ? [DISTANCE] : []), ...others]
}

const DISTANCE: Column = { field: 'distance', label: t.distance }

const CODES: Readonly<Record<string, keyof Codes>> = { categoryCode: 'categories', administrativeAreaCode: 'areas' }

function Cell({ field, row, widths }: { field: string; row: Row; widths: Widths }) {
  const { view } = usePage()
  const style = widths.styleOf(field)
  if (field === DISTANCE.field) return <td {...style}>{distance(row.distance ?? 0)}</td>
  const values = row[field] ?? ''
  const value = typeof values === 'string' ? values : values.join(', ')
  if (field === 'name') {
    return (
      <th scope="row" {...style}>
        <ViewLink to={{ ...view, item: row.id, at: undefined }}>
          <Words text={value} />
        </ViewLink>
      </th>
    )
  }
  const codes = CODES[field]
  const isTime = field.endsWith('At')
  return (
    <td dir="auto" {...style}>
      {codes ? <CodeLabel of={codes} code={value} dataset={row.datasetId} /> : isTime ? value.slice(0, 10) : value}
    </td>
  )
}

function Pages({ table, total }: Pick<TableProps, 'table' | 'total'>) {
  const { view } = usePage()
  const known = useLater(total)
  if (known === undefined) return null
  const last = Math.max(1, Math.ceil(known / PAGE_SIZE))
  const link = (label: string, page: number) =>
    page >= 1 &&
    page <= last &&
    page !== table.page && (
      <ViewLink class="button" to={{ ...view, table: { ...table, page } }}>
        {label}
      </ViewLink>
    )
  return (
    <nav class="pages" aria-label={t.tablePages}>
      {link(t.first, 1)}
      {link(t.previous, table.page - 1)}
      <span>{fill(t.page, { page: table.page, last })}</span>
      {link(t.next, table.page + 1)}
      {link(t.last, last)}
    </nav>
  )
}
