import { t } from '../shared/text.ts'
import type { Events, ExplorerMap, Place } from './explorer-map.ts'
import { hasWebGL, noMap } from './no-map.tsx'

/*
 * The map, before its script has come. MapLibre is five times as large as the rest of the page, and the list does not wait for it.
 */

/** What the map is told to do before it is there. Of each kind only the last counts. */
type Kind = 'base map' | 'content' | 'camera'

/** Opens the map in an element as soon as its script is loaded, as `openMap` does. In a browser that can't draw it, says so. */
export function openLazyMap(
  container: HTMLElement,
  start: Place | undefined,
  events: Events,
  options: { isFramed?: boolean } = {},
): ExplorerMap {
  if (!hasWebGL()) return noMap(container)
  let map: ExplorerMap | undefined
  const waiting = new Map<Kind, (opened: ExplorerMap) => void>()
  const tell = (kind: Kind, action: (opened: ExplorerMap) => void) =>
    map ? action(map) : void waiting.set(kind, action)
  container.setAttribute('data-loading', '')
  container.textContent = t.mapLoading
  const fail = (why: string) => {
    container.removeAttribute('data-loading')
    map = noMap(container, why)
  }
  import('./map.ts')
    .then(
      ({ openMap }) => {
        container.replaceChildren()
        map = openMap(container, start, events, options)
        // Before it shows anything, it does not fly.
        for (const kind of ['camera', 'base map', 'content'] as const) waiting.get(kind)?.(map)
      },
      () => fail(t.mapIncomplete),
    )
    // MapLibre may get no context though the browser has WebGL.
    .catch(() => fail(t.noMap))
  return {
    show: (content) => tell('content', (opened) => opened.show(content)),
    useBaseMap: (baseMap) => tell('base map', (opened) => opened.useBaseMap(baseMap)),
    fit: (bounds, maxZoom) => tell('camera', (opened) => opened.fit(bounds, maxZoom)),
    fitExactly: (box) => tell('camera', (opened) => opened.fitExactly(box)),
    flyTo: (latitude, longitude, zoom) => tell('camera', (opened) => opened.flyTo(latitude, longitude, zoom)),
    jumpTo: (at) => tell('camera', (opened) => opened.jumpTo(at)),
    visibleBox: () => map?.visibleBox(),
    resize: () => map?.resize(),
  }
}
