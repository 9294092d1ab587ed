/** What the gateway writes into the page (api/pages/pages.ts). */
interface PageData {
  /** The base map that the operator configured with `BASE_MAP`. */
  baseMap?: { kind: 'pmtiles' | 'style' | 'raster'; url: string; dark?: string; credit?: string }
  /** Whom to ask for a key: an e-mail address, a URL or a text, from `CONTACT`. */
  contact?: string
  /** The key of visitors, from `PUBLIC_KEY`. */
  publicKey?: string
  /** The formats of exports: the ending of the file, a title, and the media type. */
  formats: { name: string; title: string; mediaType: string }[]
}

export function readPageData(): PageData {
  const template = document.querySelector<HTMLTemplateElement>('template#page-data')
  return JSON.parse(template?.content.textContent ?? '{"formats":[]}')
}
