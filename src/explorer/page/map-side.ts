import type { View } from '../data/address.ts'
import { type Codes, type Dataset, findDataset, type ListedItem } from '../data/datasets.ts'
import { tileSources } from '../data/tile-sources.ts'
import { loadBaseMap, WORLD } from '../map/base-map.ts'
import { coloursNow } from '../map/colours.ts'
import type { Events, ExplorerMap } from '../map/explorer-map.ts'
import { openLazyMap } from '../map/lazy-map.ts'
import { messageOf } from '../shared/api-error.ts'
import { fill, t } from '../shared/text.ts'
import type { Item } from '../views/item/request.ts'
import { legendOf } from '../views/legend/legend.ts'
import { showLegend } from '../views/legend/legend-box.tsx'
import { showCredits, showStatus } from './map-lines.tsx'

/*
 * The map beside the list or in a frame, with its legend and its credit line.
 */

export interface MapState {
  view: View
  hasKey: boolean
  datasets: readonly Dataset[]
  /** Those of the view's dataset. */
  codes: Codes
  item: Item | undefined
  /** What a search without results proposes. */
  proposed: readonly ListedItem[]
}

export class MapSide {
  readonly map: ExplorerMap
  readonly #isFramed: boolean
  #state: MapState | undefined
  #mapCredit = ''

  /** In a frame (`isFramed`), the legend has no links. */
  constructor(container: HTMLElement, start: View['at'], events: Events, { isFramed = false } = {}) {
    this.#isFramed = isFramed
    this.map = openLazyMap(container, start, events, { isFramed })
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#state && this.draw(this.#state))
    void this.#loadBaseMap()
  }

  /** The map of the package stands in for a configured one that can't be loaded. */
  async #loadBaseMap(): Promise<void> {
    const baseMap = await loadBaseMap().catch((error: unknown) => {
      showStatus(fill(t.baseMapFailed, { reason: messageOf(error) }))
      return WORLD
    })
    this.#mapCredit = baseMap.credit
    this.map.useBaseMap(baseMap)
    if (this.#state) this.#showCredit(this.#state)
  }

  draw(state: MapState): void {
    this.#state = state
    const { view, hasKey, datasets, codes, item, proposed } = state
    const colour = coloursNow()
    const drawn = drawnView(view, datasets)
    const legend = legendOf(view, codes, hasKey ? datasets : [])
    showLegend(legend, colour, !this.#isFramed)
    this.map.show({
      sources: hasKey && drawn ? tileSources(drawn, legend.property, legend.entries.length > 1) : undefined,
      near: view.near,
      colouring: legend,
      chosen: item,
      proposed,
      colour,
    })
    this.#showCredit(state)
  }

  #showCredit({ view: { dataset, compared = [dataset ?? []].flat() }, datasets, item }: MapState): void {
    const named = compared.flatMap((slug) => findDataset(datasets, { dataset: slug }) ?? [])
    const credited = item ? [item.dataset] : compared.length > 0 ? named : datasets
    showCredits(
      credited.map(({ attribution }) => attribution),
      this.#mapCredit,
    )
  }
}

/** The view with those of its datasets that are there: the others have no tiles. Undefined if there are none of them. */
export function drawnView(view: View, datasets: readonly Dataset[]): View | undefined {
  const { dataset, compared } = view
  const isThere = (slug: string) => findDataset(datasets, { dataset: slug }) !== undefined
  const known = compared?.filter(isThere)
  if (known?.length === 0 || (dataset !== undefined && !isThere(dataset))) return undefined
  return { ...view, compared: known }
}
