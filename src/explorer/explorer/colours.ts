/*
 * The colours of the map, by day and by night.
 */

export interface Colours {
  water: string
  land: string
  border: string
  /** A place, or a cluster of about a hundred places. */
  dot: string
  /** Clusters of few and of many places. */
  few: string
  many: string
  /** The text on a dot, and the edge of a dot. */
  ink: string
  inkOnFew: string
  /** Names beside places. */
  text: string
  /** Names of cities and countries. */
  cities: string
  countries: string
  /** The chosen item, and the searched circle. */
  chosen: string
}

export const LIGHT: Colours = {
  water: '#dfe8ef',
  land: '#f7f7f4',
  border: '#c6ccd2',
  dot: '#0b5cad',
  few: '#c4dcf3',
  many: '#062f5e',
  ink: '#ffffff',
  inkOnFew: '#0d2a4a',
  text: '#1f2933',
  cities: '#5b6672',
  countries: '#7b7f6f',
  chosen: '#c2410c',
}
export const DARK: Colours = {
  water: '#10161d',
  land: '#222a33',
  border: '#3d4854',
  dot: '#7db9f5',
  few: '#2d4a68',
  many: '#d6eaff',
  ink: '#0d1722',
  inkOnFew: '#e3eefa',
  text: '#e3e8ee',
  cities: '#9aa5b1',
  countries: '#7d8894',
  chosen: '#fdba74',
}
