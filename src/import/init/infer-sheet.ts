import type { Dialect, SourceFile } from '../formats/dialect.ts'
import { readTables } from '../formats/xlsx/xlsx.ts'
import type { Inference } from '../inference.ts'

/** Finds the sheet with the table in a spreadsheet. It is left out if it is read by default and no other has a table. */
export async function inferSheet(file: SourceFile): Promise<{ dialect: Dialect; inferences: Inference[] }> {
  const tables = await readTables(file)
  const [chosen, ...alternatives] = tables.map(({ name, example }) => ({
    ...{
      choice: JSON.stringify(name),
      example: `its table begins with ${example}`,
      write: `"sheet": ${JSON.stringify(name)}`,
    },
  }))
  const [first] = tables
  if (!chosen || !first || (first.isDefault && alternatives.length === 0)) return { dialect: {}, inferences: [] }
  const inferences = alternatives.length === 0 ? [] : [{ what: 'sheet', chosen, alternatives }]
  return { dialect: { sheet: first.name }, inferences }
}
