/**
 * Headers of every response. A browser must not guess the media type, show a response in a frame (but that of api/pages/embed.ts), or send a
 * referrer.
 */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}
