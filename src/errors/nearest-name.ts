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
  let nearest: { candidate: string; toBeginning: number; toWhole: number } | undefined
  for (const candidate of known) {
    const found = distances(wanted, candidate.toLowerCase(), nearest?.toBeginning ?? maxDistance)
    if (found && (!nearest || found.toBeginning < nearest.toBeginning || found.toWhole < nearest.toWhole))
      nearest = { candidate, ...found }
  }
  return nearest?.candidate
}

/**
 * The numbers of letters to insert, delete or replace in `a` until it is a beginning of `b`, and until it is `b`. Undefined if the first is
 * above `most`, without the work to find out how much.
 */
function distances(a: string, b: string, most: number): { toBeginning: number; toWhole: number } | undefined {
  if (b.includes(a)) return { toBeginning: 0, toWhole: 0 }
  if (a.length - b.length > most) return undefined
  // One row is enough: `corner` is the value before it of the one to the left above.
  const row = Uint16Array.from({ length: b.length + 1 }, (_, n) => n)
  for (let m = 1; m <= a.length; m += 1) {
    const letter = a.charCodeAt(m - 1)
    let corner = m - 1
    let left = m
    let least = m
    for (let n = 1; n <= b.length; n += 1) {
      const above = row[n] ?? 0
      row[n - 1] = left
      left = Math.min(corner + (letter === b.charCodeAt(n - 1) ? 0 : 1), above + 1, left + 1)
      corner = above
      if (left < least) least = left
    }
    row[b.length] = left
    // No later row has a smaller one.
    if (least > most) return undefined
  }
  return { toBeginning: Math.min(...row), toWhole: row[b.length] ?? 0 }
}
