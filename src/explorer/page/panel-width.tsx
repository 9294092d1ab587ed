import { render } from 'preact'
import { Splitter } from '../shared/splitter.tsx'
import { t } from '../shared/text.ts'

/*
 * The width of the panel beside the map, where it has a table (table.css).
 */

/** The narrowest panel in pixels, and the widest as a share of the page. */
const LEAST = 320
const MOST_SHARE = 0.85

/** Puts the handle of the panel's width between the panel and the map. */
export function startPanelWidth(panel: HTMLElement, place: HTMLElement): void {
  const { documentElement } = document
  render(
    <Splitter
      class="panel-handle"
      label={t.panelWidth}
      controls={panel.id}
      width={() => panel.getBoundingClientRect().width}
      least={() => LEAST}
      most={() => Math.max(LEAST, documentElement.clientWidth * MOST_SHARE)}
      setWidth={(width) => documentElement.style.setProperty('--panel-width', `${width}px`)}
    />,
    place,
  )
}
