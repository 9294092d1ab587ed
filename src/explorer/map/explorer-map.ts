import type { BaseMap } from './base-map.ts'
import type { Bounds } from './box.ts'
import type { MapContent } from './style.ts'

/*
 * What the map gets, and what it reports. It knows nothing of the views.
 */

/** Where the map is: its centre in degrees, and its zoom. */
export interface Place {
  latitude: number
  longitude: number
  zoom: number
}

export interface Events {
  onPlace: (id: string) => void
  /** Several places at one point, all of them within a radius in metres. */
  onPoint: (latitude: number, longitude: number, radius: number) => void
  /** Whether the next click is a point, even on a place. */
  isPicking: () => boolean
  /** A click beside all places, with its position in degrees. */
  onGround: (latitude: number, longitude: number) => void
  /** The button that shows the whole view again. */
  onHome: () => void
  onMove: (at: Place) => void
  /** What is under the cross, when a person moves the map by keyboard. */
  onCentre: (message: string) => void
  /** A part of the map could not be loaded. */
  onProblem: () => void
}

export interface ExplorerMap {
  show: (content: MapContent) => void
  /** Draws the base map. Until then the map shows nothing. */
  useBaseMap: (baseMap: BaseMap) => void
  fit: (bounds: Bounds, maxZoom: number) => void
  /** Shows a box, without a margin around it. */
  fitExactly: (box: Bounds) => void
  /** Returns the box that is visible; undefined if there is no map, or not yet. */
  visibleBox: () => Bounds | undefined
  flyTo: (latitude: number, longitude: number, zoom: number) => void
  /** Moves the map to a place, without an animation. */
  jumpTo: (at: Place) => void
  /** Gives the map the size of its element at once. Without it, MapLibre does so later. */
  resize: () => void
}
