import { FullscreenControl, type IControl, type Map as MapView, NavigationControl, ScaleControl } from 'maplibre-gl'
import { button, element } from '../shared/dom.ts'
import { t } from '../shared/text.ts'

/*
 * The buttons and the scale on the map.
 */

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
  const label = t.home
  const home = button('', goHome, { class: 'home-button', title: label, 'aria-label': label })
  home.append(icon(HOUSE))
  const group = element('div', { class: 'maplibregl-ctrl maplibregl-ctrl-group' }, home)
  return { onAdd: () => group, onRemove: () => group.remove() }
}

function icon(path: string): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.setAttribute('aria-hidden', 'true')
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'path')
  line.setAttribute('d', path)
  svg.append(line)
  return svg
}
