/*
 * Web addresses from data. Only those that a browser fetches as a page or a picture become links; others are shown as text.
 */

/** Returns an http or https URL, undefined for anything else (`javascript:`, `data:`, no URL). A path counts as an address on `base`, if given. */
export function safeUrl(text: string, base?: string): URL | undefined {
  if (text.trim() === '' || !URL.canParse(text, base)) return undefined
  const url = new URL(text, base)
  return ['http:', 'https:'].includes(url.protocol) ? url : undefined
}

/**
 * Returns the address of a picture. The sample's pictures are on every server of this kind; their stored address is that of the
 * first start, so they are taken from `base`.
 */
export function pictureUrl(text: string, base: string): URL | undefined {
  const url = safeUrl(text, base)
  return url && /^\/sample\/[\w-]+\.svg$/.test(url.pathname) ? new URL(url.pathname, base) : url
}
