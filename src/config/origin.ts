/*
 * Origins of web pages and apps (RFC 6454): `https://maps.example`, `tauri://localhost`, `chrome-extension://…`.
 */

/** Other characters of a host, such as `*` and `;`, would mean more than one origin in a Content-Security-Policy. */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/i

/** The origin of an address, in the form in which browsers send it. For schemes other than those of the web, URL calls it `null`. */
export function originOfUrl({ origin, protocol, host }: URL): string {
  return origin === 'null' ? `${protocol}//${host.toLowerCase()}` : origin
}

/** Returns the origin that a text is, with or without a slash at its end; or what is wrong with the text, and what to write. */
export function parseOrigin(text: string): { origin: string } | { problem: string } {
  if (text === 'null') return { problem: 'null is sent by all pages without an origin, such as files; serve the page' }
  if (text.includes('*')) return { problem: `${text} has a *; name each origin, such as https://maps.example` }
  const url = text.includes('://') ? URL.parse(text) : null
  if (!url || !HOST.test(url.host)) return { problem: `${text} is no origin; write one such as https://maps.example` }
  const origin = originOfUrl(url)
  if (![origin, `${origin}/`].includes(url.href.toLowerCase())) {
    return { problem: `${text} has more than a scheme, a host and a port; write ${origin}` }
  }
  return { origin }
}
