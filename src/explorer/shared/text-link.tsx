import { safeUrl } from './safe-url.ts'

/** A URL or an e-mail address as a link. Other text is a link below `base`, if that is given, and else it stays text. */
export function TextLink({ text, base }: { text: string; base?: string }) {
  const isEmail = /^[^\s@/]+@[^\s@/]+$/.test(text)
  const href = isEmail ? `mailto:${text}` : safeUrl(text, base)?.href
  if (href === undefined) return <>{text}</>
  return (
    <a href={href} rel="noopener noreferrer">
      {text}
    </a>
  )
}
