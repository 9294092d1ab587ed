/*
 * URLs from data. Only http and https URLs become links. Others are shown as text.
 */

/** Returns an http or https URL, undefined for anything else (`javascript:`, `data:`, no URL). A path counts as an address on `base`, if given. */
export function safeUrl(text: string, base?: string): URL | undefined {
  if (text.trim() === '' || !URL.canParse(text, base)) return undefined
  const url = new URL(text, base)
  return ['http:', 'https:'].includes(url.protocol) ? url : undefined
}

/**
 * Returns the address of a picture. Every gateway serves the pictures of the sample data. Their stored address is that of the
 * first start, so that of `server` replaces it.
 */
export function pictureUrl(text: string, server: string): URL | undefined {
  const url = safeUrl(text, server)
  return url && /^\/sample\/[\w-]+\.svg$/.test(url.pathname) ? new URL(server + url.pathname) : url
}
