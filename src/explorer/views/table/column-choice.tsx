import { useMemo } from 'preact/hooks'
import { COLUMNS, type Table } from '../../data/table-columns.ts'
import { t } from '../../shared/text.ts'
import { usePage } from '../context.tsx'

/** The choice stays open while a person chooses several columns. */
let isChoiceOpen = false

/** The boxes that choose the columns of the table. */
export function ColumnChoice({ table }: { table: Table }) {
  const { view, open } = usePage()
  // All boxes count: a person may tick the next one before the table has the last one.
  const chosen = useMemo(() => new Set(table.fields), [table])
  const choose = (field: string, isChosen: boolean) => {
    if (isChosen) chosen.add(field)
    else chosen.delete(field)
    const fields = COLUMNS.map((column) => column.field).filter((each) => chosen.has(each))
    open({ ...view, table: { ...table, fields } })
  }
  return (
    <details
      class="columns"
      open={isChoiceOpen}
      onToggle={({ currentTarget }) => {
        isChoiceOpen = currentTarget.open
      }}
    >
      <summary>{t.columns}</summary>
      {COLUMNS.filter(({ field }) => field !== 'name').map(({ field, label }) => (
        <label key={field}>
          <input
            type="checkbox"
            defaultChecked={table.fields.includes(field)}
            data-focus={`column-${field}`}
            onChange={({ currentTarget: { checked } }) => choose(field, checked)}
          />{' '}
          {label}
        </label>
      ))}
    </details>
  )
}
