import { type ComponentChildren, Fragment } from 'preact'
import { safeUrl } from './safe-url.ts'

/** A member with its label. Without a value it is not shown. */
export type Member = readonly [label: string, value: ComponentChildren]

/** The members that have a value. */
export function MemberList({ members, class: name = 'members' }: { members: readonly Member[]; class?: string }) {
  return (
    <dl class={name}>
      {members
        .filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
        .map(([label, value]) => (
          <Fragment key={label}>
            <dt dir="auto">{label}</dt>
            <dd dir="auto">{value}</dd>
          </Fragment>
        ))}
    </dl>
  )
}

/** A URL or an e-mail address as a link. Other text is a link below `base`, if that is given, and else it stays text. */
export function TextLink({ text, base }: { text: string; base?: string }) {
  if (/^[^\s@/]+@[^\s@/]+$/.test(text)) return <a href={`mailto:${text}`}>{text}</a>
  const url = safeUrl(text, base)
  if (!url) return <>{text}</>
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer">
      {text}
    </a>
  )
}
