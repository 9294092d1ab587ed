/**
 * Compares what a test file found with what it leaves.
 * @throws Error that names each line that only one of the lists has
 */
export function expectUnchanged(what: string, before: readonly string[], after: readonly string[]): void {
  const added = after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`)
  const missing = before.filter((line) => !after.includes(line)).map((line) => `- ${line}`)
  const lines = [...added, ...missing]
  if (lines.length > 0) throw new Error(`This file must leave ${what} as it was:\n${lines.join('\n')}`)
}
