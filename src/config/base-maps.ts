/*
 * The base maps that the explorer can draw, and the ones with a name of their own: free of charge and without a key by their terms of use.
 */

/** A PMTiles file, or the URL of a MapLibre style or of raster tiles. */
export type BaseMap =
  | { kind: 'pmtiles'; path: string }
  | {
      kind: 'style' | 'raster'
      url: string
      /** The style by night. It is on the same origin. */
      dark?: string
      /** The credit line that the owner asks for. */
      credit?: string
    }

/** The names that `BASE_MAP` can have (docs/explorer.md). */
export const NAMED_BASE_MAPS: Readonly<Record<string, BaseMap>> = {
  openfreemap: {
    kind: 'style',
    url: 'https://tiles.openfreemap.org/styles/positron',
    dark: 'https://tiles.openfreemap.org/styles/dark',
    credit: 'OpenFreeMap © OpenMapTiles, data from OpenStreetMap',
  },
  versatiles: {
    kind: 'style',
    url: 'https://tiles.versatiles.org/assets/styles/colorful/style.json',
    dark: 'https://tiles.versatiles.org/assets/styles/eclipse/style.json',
    credit: 'VersaTiles, © OpenStreetMap contributors',
  },
  'basemap.de': {
    kind: 'style',
    url: 'https://sgx.geodatenzentrum.de/gdz_basemapde_vektor/styles/bm_web_col.json',
    credit: '© GeoBasis-DE / BKG, CC BY 4.0',
  },
}
