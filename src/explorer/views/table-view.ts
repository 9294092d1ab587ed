import { type Child, element } from '../shared/dom.ts'
import { distance } from '../shared/format.ts'
import { t } from '../shared/text.ts'
import { formatAddress, isSortable, type View } from './address.ts'
import { areaLabel, type Codes, type CodesOf, categoryLabel } from './codes.ts'
import { widthHandle } from './column-width.ts'
import { PAGE_SIZE } from './results.ts'
import { COLUMNS, type Column, type Row, type Table } from './table-columns.ts'

/*
 * Places as a table. Those of a dataset are sorted as the API sorts; a search and a circle have an order of their own. The order, the
 * columns and the pages are links.
 */

export interface TableContent {
  view: View
  table: Table
  codesOf: CodesOf
  rows: readonly Row[]
  total: Promise<number>
}

/** Creates the table with its pages and the choice of its columns. `open` opens another view. */
export function tableView(content: TableContent, open: (view: View) => void): HTMLElement {
  const { view, table, rows, codesOf } = content
  const columns = columnsOf(view, table)
  const body = rows.map((row) => columns.map((column) => cell(column, row, view, codesOf)))
  const headings = columns.map((column, n) => {
    const head = element('th', { scope: 'col', 'aria-sort': sortedBy(column, view) }, heading(column, view, table))
    const cells = body.flatMap((row) => row[n] ?? [])
    head.append(widthHandle(column.field, column.label, [head, ...cells]))
    return head
  })
  return element(
    'section',
    { class: 'table-view', 'aria-label': t.table },
    columnChoice(view, table, open),
    element(
      'div',
      { class: 'table-frame', role: 'region', 'aria-label': t.rows, tabindex: 0 },
      element(
        'table',
        {},
        element('thead', {}, element('tr', {}, ...headings)),
        element('tbody', {}, ...body.map((cells) => element('tr', {}, ...cells))),
      ),
    ),
    content.total.then((total) => pages(content, total)),
  )
}

/** The chosen columns, and the distance around a point. */
function columnsOf({ near }: View, { fields }: Table): Column[] {
  const [name, ...others] = COLUMNS.filter(({ field }) => fields.includes(field))
  return [...(name ? [name] : []), ...(near ? [DISTANCE] : []), ...others]
}

const DISTANCE: Column = { field: 'distance', label: t.distance }

function sortedBy({ sort }: Column, view: View): 'ascending' | 'descending' | undefined {
  if (sort === undefined || sort !== view.table?.sort || !isSortable(view)) return undefined
  return view.table.isDescending ? 'descending' : 'ascending'
}

/** A column that the API sorts by is a link. The second click turns the order round. */
function heading({ label, sort }: Column, view: View, table: Table): Node | string {
  if (sort === undefined || !isSortable(view)) return label
  const isSorted = sort === table.sort
  const next = { ...table, sort, isDescending: isSorted && !table.isDescending, page: 1 }
  const arrow = isSorted ? (table.isDescending ? ' ↓' : ' ↑') : ''
  const href = formatAddress({ ...view, table: next })
  return element('a', { href, 'data-view': true, 'data-focus': `sort-${sort}` }, label + arrow)
}

function cell({ field }: Column, row: Row, view: View, codesOf: CodesOf): HTMLElement {
  if (field === 'distance') return element('td', {}, distance(row.distance ?? 0))
  const values = row[field] ?? ''
  const value = typeof values === 'string' ? values : values.join(', ')
  if (field !== 'name')
    return element(
      'td',
      { dir: 'auto' },
      textOf(field, value, () => codesOf(row.datasetId)),
    )
  const href = formatAddress({ ...view, item: row.id, at: undefined })
  return element('th', { scope: 'row' }, element('a', { href, 'data-view': true, dir: 'auto' }, value))
}

function textOf(field: string, value: string, codes: () => Promise<Codes>): Child {
  if (field === 'categoryCode') return categoryLabel(value, codes())
  if (field === 'administrativeAreaCode') return areaLabel(value, codes())
  return field.endsWith('At') ? value.slice(0, 10) : value
}

function columnChoice(view: View, table: Table, open: (view: View) => void): HTMLElement {
  // All boxes count: a person may tick the next one before the table has the last one.
  const chosen = new Set(table.fields)
  const boxes = COLUMNS.filter(({ field }) => field !== 'name').map(({ field, label }) => {
    const box = element('input', {
      type: 'checkbox',
      checked: table.fields.includes(field),
      'data-focus': `column-${field}`,
    })
    box.addEventListener('change', () => {
      if (box.checked) chosen.add(field)
      else chosen.delete(field)
      const fields = COLUMNS.map((column) => column.field).filter((each) => chosen.has(each))
      open({ ...view, table: { ...table, fields } })
    })
    return element('label', {}, box, ` ${label}`)
  })
  const details = element(
    'details',
    { class: 'columns', open: isChoiceOpen },
    element('summary', {}, t.columns),
    ...boxes,
  )
  details.addEventListener('toggle', () => {
    isChoiceOpen = details.open
  })
  return details
}

/** The choice stays open while a person chooses several columns. */
let isChoiceOpen = false

function pages({ view, table }: TableContent, total: number): HTMLElement {
  const last = Math.max(1, Math.ceil(total / PAGE_SIZE))
  const link = (label: string, page: number) =>
    page >= 1 && page <= last && page !== table.page
      ? element(
          'a',
          { class: 'button', href: formatAddress({ ...view, table: { ...table, page } }), 'data-view': true },
          label,
        )
      : undefined
  return element(
    'nav',
    { class: 'pages', 'aria-label': t.tablePages },
    link(t.first, 1),
    link(t.previous, table.page - 1),
    element('span', {}, t.page(table.page, last)),
    link(t.next, table.page + 1),
    link(t.last, last),
  )
}
