import type { Map as MapView } from 'maplibre-gl'

/*
 * The map by keyboard. With the focus on it, a cross marks its centre. MapLibre's arrow keys move the map under the cross, and Enter
 * does there what a click does.
 */

export interface KeyboardActions {
  /** Returns what is under the cross, for a screen reader. */
  describeCentre: () => string
  /** Does what a click on the centre does. */
  clickCentre: () => void
  say: (message: string) => void
}

/** Lets the map be used by keyboard. */
export function useKeyboard(map: MapView, { describeCentre, clickCentre, say }: KeyboardActions): void {
  const canvas = map.getCanvas()
  const isFocused = () => canvas.matches(':focus-visible')
  canvas.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    clickCentre()
  })
  const describe = () => isFocused() && say(describeCentre())
  canvas.addEventListener('focus', describe)
  canvas.addEventListener('blur', () => say(''))
  // When the map is idle, the places of a new part are drawn.
  map.on('idle', describe)
}
