import { showStatus } from './map-lines.ts'

/*
 * Waits for a click on the map, for a search around that point.
 */

export class PointPicker {
  #radius: number | undefined

  /** Begins to wait, or stops when it waits already. The radius is metres. */
  toggle(radius: number): void {
    this.#wait(this.#radius === undefined ? radius : undefined)
  }

  /** Ends the waiting. Returns the radius in metres, undefined when no click is waited for. */
  take(): number | undefined {
    const radius = this.#radius
    if (radius !== undefined) this.#wait(undefined)
    return radius
  }

  #wait(radius: number | undefined): void {
    this.#radius = radius
    document.body.classList.toggle('picking', radius !== undefined)
    showStatus(radius === undefined ? '' : 'Click on the map to search around that point.')
  }
}
