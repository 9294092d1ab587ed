import { t } from '../shared/text.ts'
import type { Events, ExplorerMap, Place } from './explorer-map.ts'

/*
 * The map, before its script has come. MapLibre is five times as large as the rest of the page, and the list does not wait for it. In a
 * browser without WebGL 2, which MapLibre needs, lists, searches and downloads work without a map.
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
  let map: ExplorerMap | undefined
  const waiting = new Map<Kind, (opened: ExplorerMap) => void>()
  const tell = (kind: Kind, action: (opened: ExplorerMap) => void) =>
    map ? action(map) : void waiting.set(kind, action)
  const open = async () => {
    const { openMap } = await import('./map.ts')
    container.replaceChildren()
    map = openMap(container, start, events, options)
    // Before it shows anything, it does not fly.
    for (const kind of ['camera', 'base map', 'content'] as const) waiting.get(kind)?.(map)
  }
  /** The map stays undefined, so what it is told does nothing. */
  const fail = (why: string) => {
    container.removeAttribute('data-loading')
    container.replaceChildren(Object.assign(document.createElement('p'), { className: 'no-map', textContent: why }))
  }
  container.setAttribute('data-loading', '')
  container.textContent = t.mapLoading
  if (document.createElement('canvas').getContext('webgl2') === null) fail(t.noMap)
  // MapLibre may get no context though the browser has WebGL.
  else open().catch((error: unknown) => fail(error instanceof TypeError ? t.mapIncomplete : t.noMap))
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
