import { refined, type View } from '../../data/address.ts'
import { type Codes, type Facet, NO_CODES } from '../../data/datasets.ts'
import { useLater } from '../../shared/later.ts'
import { t } from '../../shared/text.ts'
import { ViewLink } from '../context.tsx'

/*
 * What was probably meant by a filter of which the dataset has no such code, as in a link with a typing error.
 */

/** The most letters that differ. */
const MAX_DISTANCE = 2

/** The question with the filter that was probably meant; nothing if the codes are there, or none is like them. */
export function CodeHint({ view, codes }: { view: View; codes: Promise<Codes> }) {
  const { categories, areas } = useLater(codes) ?? NO_CODES
  const category = nearest(view.category, categories)
  const area = nearest(view.area, areas)
  if (!category && !area) return null
  const meant = refined(view, { ...(category && { category: category.code }), ...(area && { area: area.code }) })
  const names = [category, area].flatMap((facet) => (facet ? [facet.label ?? facet.code] : []))
  return (
    <p>
      {t.didYouMean} <ViewLink to={meant}>{names.join(', ')}</ViewLink>?
    </p>
  )
}

function nearest(code: string | undefined, facets: readonly Facet[]): Facet | undefined {
  if (code === undefined || facets.some((facet) => facet.code === code)) return undefined
  const near = facets.map((facet) => ({
    facet,
    distance: Math.min(...[facet.code, facet.label ?? facet.code].map((name) => editDistance(code, name))),
  }))
  return near.filter(({ distance }) => distance <= MAX_DISTANCE).sort((a, b) => a.distance - b.distance)[0]?.facet
}

/** How many letters one must insert, remove or replace (Levenshtein), in any letter case. */
function editDistance(one: string, other: string): number {
  const letters = [...other.toLowerCase()]
  let row = [0, ...letters.map((_, n) => n + 1)]
  for (const letter of one.toLowerCase()) {
    const next = [(row[0] ?? 0) + 1]
    for (const [n, each] of letters.entries()) {
      next.push(Math.min((row[n] ?? 0) + Number(each !== letter), (row[n + 1] ?? 0) + 1, (next[n] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
