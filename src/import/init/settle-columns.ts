import type { Columns, ItemFile } from '../manifest.ts'
import { type CheckedFile, checkFile } from './check-file.ts'
import type { GuessedColumns } from './guess-columns.ts'

/** Checks all rows. Takes the next mapping if rows share an identity. */
export async function settleColumns(
  file: UnmappedFile,
  [first, ...others]: GuessedColumns['mappings'],
): Promise<Attempt> {
  let best = await attempt(file, first)
  for (const columns of others) {
    if (best.checked.repeated === 0) break
    const next = await attempt(file, columns)
    if (next.checked.repeated < best.checked.repeated) best = next
  }
  return best
}

type UnmappedFile = Omit<ItemFile, 'columns'>

interface Attempt {
  file: ItemFile
  checked: CheckedFile
}

/** Checks all rows with a mapping. Gives a default to codes that are empty. */
async function attempt(file: UnmappedFile, columns: Columns): Promise<Attempt> {
  const checked = await checkFile({ ...file, columns })
  const completed = { ...file, columns: withDefaults(columns, checked) }
  const { empty } = checked
  return { file: completed, checked: empty.size > 0 ? { ...(await checkFile(completed)), empty } : checked }
}

function withDefaults(columns: Columns, { empty }: CheckedFile): Columns {
  const completed = [...empty.keys()].flatMap((field) => {
    const column = columns[field]
    return typeof column === 'string' ? [[field, { column, default: 'unknown' }] as const] : []
  })
  return { ...columns, ...Object.fromEntries(completed) }
}
