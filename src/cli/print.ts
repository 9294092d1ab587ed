/** Prints a line on stdout. */
export function printLine(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Prints one JSON document on a line of stdout. */
export function printJson(value: unknown): void {
  printLine(JSON.stringify(value))
}

/** Prints rows in columns as wide as their widest cell. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  const lines = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  for (const line of lines)
    printLine(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}
