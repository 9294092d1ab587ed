import { render } from 'preact'
import { t } from '../shared/text.ts'

/*
 * What stands in for a map that can't be drawn, as in a browser without WebGL 2, which MapLibre needs. Lists, searches and
 * downloads work without a map.
 */

export function hasWebGL(): boolean {
  return document.createElement('canvas').getContext('webgl2') !== null
}

/** Says in the map's element why there is no map. */
export function noMap(container: HTMLElement, why = t.noMap) {
  container.replaceChildren()
  render(<p class="no-map">{why}</p>, container)
  return {
    show: () => {},
    useBaseMap: () => {},
    fit: () => {},
    fitExactly: () => {},
    visibleBox: () => undefined,
    flyTo: () => {},
    jumpTo: () => {},
    resize: () => {},
  }
}
