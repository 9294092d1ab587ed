/*
 * The colours of the map, by day and by night.
 */

export interface Colours {
  water: string
  land: string
  border: string
  /** A place, or a cluster of places. */
  dot: string
  /** What is written on a dot, and the edge of a dot. */
  ink: string
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
  ink: '#ffffff',
  text: '#3b4653',
  chosen: '#c2410c',
}
export const DARK: Colours = {
  water: '#10161d',
  land: '#222a33',
  border: '#3d4854',
  dot: '#7db9f5',
  ink: '#0d1722',
  text: '#c3ccd6',
  chosen: '#fdba74',
}
