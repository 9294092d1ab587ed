/** The usual separators of columns. */
export const SEPARATORS = [
  { separator: ',', name: 'commas' },
  { separator: ';', name: 'semicolons' },
  { separator: '\t', name: 'tabs' },
  { separator: '|', name: 'vertical bars' },
  { separator: '~', name: 'tildes' },
  { separator: '^', name: 'carets' },
] as const

/** Excel reads and writes the separator in a line before the header. */
const HINT = /^(?:"sep=(.)"|sep=(.))(?:\r\n?|\n)/i
const LONGEST_HINT = 9

/** Returns the separator in the line `sep=;` at the start of a text, and the length of the line. */
export function findHint(start: string): { hint: string | undefined; length: number } {
  const found = HINT.exec(start)
  return { hint: found?.[1] ?? found?.[2], length: found?.[0].length ?? 0 }
}

/** Returns a text without the line `sep=;` that Excel writes before the header, and the separator that it names. */
export async function splitHint(
  text: AsyncIterable<string>,
): Promise<{ text: AsyncIterable<string>; hint: string | undefined }> {
  const chunks = text[Symbol.asyncIterator]()
  let start = ''
  let isDone = false
  while (!isDone && start.length < LONGEST_HINT) {
    const next = await chunks.next()
    isDone = next.done === true
    if (!next.done) start += next.value
  }
  const { hint, length } = findHint(start)
  return { text: joined(start.slice(length), chunks), hint }
}

async function* joined(start: string, rest: AsyncIterator<string>): AsyncGenerator<string> {
  try {
    if (start !== '') yield start
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}
