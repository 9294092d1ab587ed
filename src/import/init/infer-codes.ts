import type { Inference } from '../inference.ts'
import type { Columns } from '../manifest.ts'
import type { CheckedFile } from './check-file.ts'

/** Says which codes items get if no column, or only an empty cell, has them. */
export function inferCodes(columns: Columns, { items: [first], empty }: CheckedFile): Inference[] {
  return (['administrativeAreaCode', 'categoryCode'] as const).flatMap((field) => {
    const source = columns[field]
    if (typeof source !== 'object' || Array.isArray(source)) return []
    const write = `"${field}": ${JSON.stringify(source)}`
    const say = (choice: string, example: string) => ({
      ...{ what: field, chosen: { choice, example, write } },
      alternatives: [],
    })
    if ('value' in source) return say(`${JSON.stringify(source.value)}, as no column has it`, first?.name ?? '')
    if (!('column' in source) || !('default' in source)) return []
    const choice = `${JSON.stringify(source.default)} where the column ${source.column} is empty`
    return say(choice, `line ${empty.get(field)}`)
  })
}
