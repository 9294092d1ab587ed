import { layers as basemapLayers, namedFlavor } from '@protomaps/basemaps'
import { addProtocol, type LayerSpecification } from 'maplibre-gl'
import { PMTiles, Protocol } from 'pmtiles'
import { language } from '../shared/language.ts'
import type { DrawnBaseMap } from './world.ts'

/** Loads the file's metadata. Returns how it is drawn, and its credit line, which may be HTML. */
export async function loadPmtiles(url: string): Promise<{ draw: (isDark: boolean) => DrawnBaseMap; credit: string }> {
  const file = new PMTiles(url)
  const protocol = new Protocol()
  protocol.add(file)
  addProtocol('pmtiles', protocol.tile)
  const metadata = await file.getMetadata()
  const attribution = typeof metadata === 'object' && metadata && 'attribution' in metadata ? metadata.attribution : ''
  const sources: DrawnBaseMap['sources'] = { base: { type: 'vector', url: `pmtiles://${url}` } }
  return {
    draw: (isDark) => ({
      sources,
      layers: basemapLayers('base', namedFlavor(isDark ? 'dark' : 'light'), { lang: language }).map(withoutIcon),
    }),
    credit: String(attribution),
  }
}

/** The icons of the style are on another server. */
function withoutIcon(layer: LayerSpecification): LayerSpecification {
  if (layer.type !== 'symbol' || !layer.layout) return layer
  const { 'icon-image': _, ...layout } = layer.layout
  return { ...layer, layout }
}
