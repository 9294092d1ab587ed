/**
 * Returns the known name that is most like another, whatever their letter case; undefined if there is none. A known name that
 * contains the other is nearest, for example `latitude` for `lat`. Otherwise the Levenshtein distance to a beginning of the known name
 * decides, because people shorten names (`categry` for `categoryCode`), then the one to the whole name, and then the order of the known names.
 * @param maxDistance of the name to a beginning of the known name; by default any
 */
export function nearestName(
  name: string,
  known: readonly string[],
  maxDistance = Number.POSITIVE_INFINITY,
): string | undefined {
  const wanted = name.toLowerCase()
  const [nearest] = known
    .map((candidate) => ({ candidate, ...distances(wanted, candidate.toLowerCase()) }))
    .filter(({ toBeginning }) => toBeginning <= maxDistance)
    .sort((a, b) => a.toBeginning - b.toBeginning || a.toWhole - b.toWhole)
  return nearest?.candidate
}

/** The numbers of letters to insert, delete or replace in `a` until it is a beginning of `b`, and until it is `b`. */
function distances(a: string, b: string): { toBeginning: number; toWhole: number } {
  if (b.includes(a)) return { toBeginning: 0, toWhole: 0 }
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
  return { toBeginning: Math.min(...row), toWhole: row[b.length] ?? 0 }
}
