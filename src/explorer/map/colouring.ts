import type { ExpressionSpecification } from 'maplibre-gl'
import type { Colours } from './colours.ts'

/** What the colours of places mean: the value of each colour, in the order of the colours. */
export interface Colouring {
  /** The property of a place that decides its colour. */
  property: 'categoryCode' | 'datasetId'
  entries: readonly { value: string }[]
}

/** The colour of a place. If all places have the same value, it is the colour of a dot. */
export function placeColour({ property, entries }: Colouring, colour: Colours): ExpressionSpecification | string {
  const [first, ...rest] = entries.map(({ value }, i) => [value, colour.values[i] ?? colour.others] as const)
  if (!first || rest.length === 0) return colour.dot
  return ['match', ['get', property], ...first, ...rest.flat(), colour.others]
}
