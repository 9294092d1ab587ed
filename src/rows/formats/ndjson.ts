import { operationFailed } from '../../errors/errors.ts'
import type { SourceFile } from './dialect.ts'
import { linesOf } from './signatures.ts'
import { MAX_ROW_LENGTH, parseJsonRow, type SourceRow } from './source-row.ts'

/**
 * Yields the rows of NDJSON, which has one JSON object per line. Skips blank lines.
 * @throws `OPERATION_FAILED` if a line is too long
 */
export async function* readNdjson(
  text: AsyncIterable<string>,
  { name: fileName }: SourceFile,
): AsyncGenerator<SourceRow> {
  let line = 0
  let rest = ''
  for await (const chunk of text) {
    if (line === 0 && rest === '' && /^\s*\[/.test(chunk))
      throw operationFailed(`${fileName}: is a list; write a line for each object: ${linesOf(fileName, '.[]')}`)
    if (line === 0 && rest === '' && /^\s*\{\s*\n/.test(chunk))
      throw operationFailed(
        `${fileName}: is JSON over several lines; write each object to one: ${linesOf(fileName, '.')}`,
      )
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const json of lines) {
      line += 1
      if (json.trim() !== '') yield parseJsonRow(line, json)
    }
    if (rest.length > MAX_ROW_LENGTH) {
      throw operationFailed(`${fileName}:${line + 1}: is longer than ${MAX_ROW_LENGTH} characters`)
    }
  }
  if (rest.trim() !== '') yield parseJsonRow(line + 1, rest)
}
