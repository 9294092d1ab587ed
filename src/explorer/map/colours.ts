import type { ExpressionSpecification } from 'maplibre-gl'

/** The colours of the map by day. */
export const LIGHT = {
  isDark: false,
  water: '#dfe8ef',
  land: '#f7f7f4',
  park: '#e4eedd',
  road: '#dcdcd4',
  border: '#c6ccd2',
  /** Places by category or dataset. Okabe and Ito chose them so that colour-blind people tell them apart. */
  values: ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#1b2430'],
  /** Places of other categories or datasets. */
  others: '#8a929c',
  /** The edge of a place. */
  edge: '#1b2430',
  /** A place, and the ring of several, if all have one colour. */
  dot: '#0b5cad',
  /** The edge of the chosen item. */
  ink: '#ffffff',
  /** Names beside places, of cities, and of countries. */
  text: '#1f2933',
  cities: '#5b6672',
  countries: '#7b7f6f',
  /** The chosen item, and the searched circle. */
  chosen: '#c2410c',
}
export type Colours = Readonly<typeof LIGHT>

const DARK: Colours = {
  isDark: true,
  water: '#10161d',
  land: '#222a33',
  park: '#20302b',
  road: '#37424d',
  border: '#3d4854',
  values: ['#56b4e9', '#e69f00', '#2fc79a', '#e59ac2', '#f0e442', '#e6e9ee'],
  others: '#8a95a1',
  edge: '#0d1722',
  dot: '#7db9f5',
  ink: '#0d1722',
  text: '#e3e8ee',
  cities: '#9aa5b1',
  countries: '#7d8894',
  chosen: '#fdba74',
}

/** The colours that a person's system asks for. */
export const coloursNow = () => (matchMedia('(prefers-color-scheme: dark)').matches ? DARK : LIGHT)

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
