import { t } from '../shared/text.ts'
import { showStatus } from './map-lines.tsx'

/*
 * Waits for a click on the map, for a search around that point.
 */

export class PointPicker {
  #radius: number | undefined

  /** Starts to wait, or stops if it waits already. The radius is in metres. */
  toggle(radius: number): void {
    this.#wait(this.#radius === undefined ? radius : undefined)
  }

  /** Stops waiting. Returns the radius in metres; undefined if it was not waiting. */
  take(): number | undefined {
    const radius = this.#radius
    if (radius !== undefined) this.#wait(undefined)
    return radius
  }

  get isWaiting(): boolean {
    return this.#radius !== undefined
  }

  #wait(radius: number | undefined): void {
    this.#radius = radius
    document.body.classList.toggle('picking', radius !== undefined)
    showStatus(radius === undefined ? '' : t.pickPoint)
  }
}
