/**
 * Returns the known name that is most like another, whatever their letter case; undefined if no names are known. A known name that
 * contains the other is nearest, for example `latitude` for `lat`. Otherwise the Levenshtein distance decides, and then the order of
 * the known names.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toLowerCase()
  const distanceTo = (candidate: string) => {
    const lower = candidate.toLowerCase()
    return lower.includes(wanted) ? 0 : levenshtein(wanted, lower)
  }
  const distances = known.map(distanceTo)
  return known[distances.indexOf(Math.min(...distances))]
}

/** The number of letters to insert, delete or replace in `a` until it is `b`. */
function levenshtein(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n)
  for (const letter of a) {
    const [start = 0] = row
    const next = [start + 1]
    for (let n = 1; n <= b.length; n += 1) {
      const replaced = (row[n - 1] ?? 0) + (letter === b[n - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[n] ?? 0) + 1, (next[n - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
