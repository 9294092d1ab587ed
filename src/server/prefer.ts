/**
 * Whether a `Prefer` header asks for strict handling (RFC 7240 section 4.4): an unknown parameter is an error then. Only the first
 * preference of a name counts (section 2).
 */
export function prefersStrict(header: string | string[] | undefined): boolean {
  if (header === undefined) return false
  const preferences = withoutSeparators(String(header)).split(',')
  const values = preferences.map((preference) => preference.split(';')[0]?.split('=').map(normalize) ?? [])
  return values.find(([name]) => name === 'handling')?.[1] === 'strict'
}

/** Removes commas, semicolons and equals signs from quoted texts. */
function withoutSeparators(header: string): string {
  return header.replace(/"(?:[^"\\]|\\.)*"/g, (text) => text.replace(/[,;=]/g, ' '))
}

/** A name or a value, without its quotes. Letter case has no meaning in names. */
function normalize(text: string): string {
  const trimmed = text.trim().toLowerCase()
  return /^".*"$/.test(trimmed) ? trimmed.slice(1, -1) : trimmed
}

/** The `Preference-Applied` header of strict handling (RFC 7240 section 3). */
export const STRICT_APPLIED = 'handling=strict'
