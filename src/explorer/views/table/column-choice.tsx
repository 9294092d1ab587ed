import { COLUMNS, type Table } from '../../data/table-columns.ts'
import { t } from '../../shared/text.ts'
import { usePage } from '../context.tsx'

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
