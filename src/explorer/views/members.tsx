import { type ComponentChildren, Fragment } from 'preact'
import { safeUrl } from '../shared/safe-url.ts'

/** A member with its label. Without a value it is not shown. */
export type Member = readonly [label: string, value: ComponentChildren]

/** The members that have a value. */
export function MemberList({ members }: { members: readonly Member[] }) {
  return (
    <dl class="members">
      {members
        .filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
        .map(([label, value]) => (
          <Fragment key={label}>
            <dt>{label}</dt>
            <dd dir="auto">{value}</dd>
          </Fragment>
        ))}
    </dl>
  )
}

/** A link to a web page; the text as it is if it is no address. */
export function WebLink({ url }: { url: string }) {
  const safe = safeUrl(url)
  if (!safe) return <>{url}</>
  return (
    <a href={safe.href} target="_blank" rel="noopener noreferrer">
      {url}
    </a>
  )
}
