import { element } from '../shared/dom.ts'
import { t } from '../shared/text.ts'

/*
 * What stands in for a map that can't be drawn, as in a browser without WebGL 2, which MapLibre needs. Lists, searches and
 * downloads work without a map.
 */

export function hasWebGL(): boolean {
  return element('canvas').getContext('webgl2') !== null
}

/** Says in the map's element why there is no map. */
export function noMap(container: HTMLElement, why = t.noMap) {
  container.replaceChildren(element('p', { class: 'no-map' }, why))
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
