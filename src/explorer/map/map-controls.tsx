import { FullscreenControl, type IControl, type Map as MapView, NavigationControl, ScaleControl } from 'maplibre-gl'
import { render } from 'preact'
import { t } from '../shared/text.ts'

const HOUSE = 'M12 3.2 3 10.6h2.4V20h5.1v-5.6h3V20h5.1v-9.4H21z'

/** Adds the controls. `goHome` shows the whole view again; `area` is the element that fills the screen. */
export function addControls(map: MapView, area: HTMLElement, goHome: () => void): void {
  map.addControl(new NavigationControl({ showCompass: false }), 'top-right')
  map.addControl(homeControl(goHome), 'top-right')
  // In a frame that may not fill the screen, the button would do nothing.
  if (document.fullscreenEnabled || window.top === window)
    map.addControl(new FullscreenControl({ container: area }), 'top-right')
  map.addControl(new ScaleControl({}), 'bottom-left')
}

function homeControl(goHome: () => void): IControl {
  const group = document.createElement('div')
  group.className = 'maplibregl-ctrl maplibregl-ctrl-group'
  render(<HomeButton goHome={goHome} />, group)
  return { onAdd: () => group, onRemove: () => group.remove() }
}

function HomeButton({ goHome }: { goHome: () => void }) {
  return (
    <button type="button" class="home-button" title={t.home} aria-label={t.home} onClick={goHome}>
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d={HOUSE} />
      </svg>
    </button>
  )
}

interface KeyboardActions {
  /** Returns what is under the cross, for a screen reader. */
  describeCentre: () => string
  /** Does what a click on the centre does. */
  clickCentre: () => void
  say: (message: string) => void
}

/**
 * Lets the map be used by keyboard. With the focus on it, a cross marks its centre. MapLibre's arrow keys move the map under the cross, and
 * Enter does there what a click does.
 */
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
