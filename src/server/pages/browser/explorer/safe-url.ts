/*
 * Web addresses from data. Only those that a browser fetches as a page or a picture become links; others are shown as text.
 */

/** Returns an http or https URL, undefined for anything else (`javascript:`, `data:`, no URL). A path is on this server. */
export function safeUrl(text: string, base: string): URL | undefined {
  if (text.trim() === '' || !URL.canParse(text, base)) return undefined
  const url = new URL(text, base)
  return ['http:', 'https:'].includes(url.protocol) ? url : undefined
}
