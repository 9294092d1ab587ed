import { element } from '../shared/dom.ts'
import { safeUrl } from './safe-url.ts'

/** A URL or an e-mail address as a link. Other text is a link below `base`, if that is given, and else it stays text. */
export function textLink(text: string, base?: string): Node | string {
  const isEmail = /^[^\s@/]+@[^\s@/]+$/.test(text)
  const href = isEmail ? `mailto:${text}` : safeUrl(text, base)?.href
  return href === undefined ? text : element('a', { href, rel: 'noopener noreferrer' }, text)
}
