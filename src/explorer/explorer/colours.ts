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
  text: '#3b4653',
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
  text: '#c3ccd6',
  chosen: '#fdba74',
}
