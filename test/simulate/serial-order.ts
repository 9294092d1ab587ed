/** A transaction of `psql`: the numbers of the items that it changes, in order, the text that it writes, and its times. */
export interface Transaction {
  numbers: readonly number[]
  text: string
  start: number
  end: number
}

/** What an import and transactions beside it have left. */
interface Content {
  /** The name of each item by its number. There are as many items as in the file. */
  names: ReadonlyMap<number, string>
  transactions: readonly Transaction[]
  /** The name of each item in the file. */
  imported: readonly string[]
}

/**
 * Says why the import has no place in the order of the transactions; nothing if it has one. Each item has the text of the last
 * transaction on it, if that comes after the import, and otherwise the name in the file.
 */
export function orderProblems({ names, transactions, imported }: Content): string[] {
  const before = new Set<Transaction>()
  const after = new Set<Transaction>()
  const problems: string[] = []
  for (const [index, text] of imported.entries()) {
    const number = index + 1
    const name = names.get(number)
    const last = transactions.filter(({ numbers }) => numbers.includes(number)).at(-1)
    // Of the earlier transactions on the item, nothing is left to see.
    if (last && name === last.text) after.add(last)
    else if (name !== text) problems.push(`item ${number} has the name ${name}`)
    else if (last) before.add(last)
  }
  for (const each of before) if (after.has(each)) problems.push(`half of the transaction "${each.text}" is left`)
  const lastStart = Math.max(...[...before].map(({ start }) => start))
  const firstEnd = Math.min(...[...after].map(({ end }) => end))
  if (firstEnd < lastStart) problems.push('the import left an earlier change, and undid a later one')
  return problems
}
