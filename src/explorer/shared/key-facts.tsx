import { render } from 'preact'
import { useState } from 'preact/hooks'
import { request } from './api.ts'
import { messageOf } from './api-error.ts'
import { useLater } from './later.ts'
import { type Member, MemberList } from './members.tsx'
import { day, number, t } from './text.ts'

/*
 * What a key opens and how much it was used, behind "Key in use" in the bar.
 */

/** The data of GET /key that is shown. */
interface KeyFacts {
  name: string
  tiers: string[]
  grants: { dataset: { slug: string }; expiresAt: string | null }[]
  expiresAt: string | null
  requestsPerMinute: number | null
  itemsPerMinute: number | null
  usage: { requests: number; items: number }[]
}

/** Reads the facts each time that a person opens them. */
export function startKeyFacts(details: HTMLDetailsElement): void {
  const content = document.createElement('div')
  details.append(content)
  details.addEventListener('toggle', () => render(details.open && <Facts key={performance.now()} />, content))
}

function Facts() {
  const [read] = useState(readFacts)
  const facts = useLater(read)
  if (facts === undefined) return null
  return typeof facts === 'string' ? <p>{facts}</p> : <MemberList class="" members={facts} />
}

/** Returns the facts, or why there are none. */
async function readFacts(): Promise<readonly Member[] | string> {
  try {
    const { data }: { data: KeyFacts } = await (await request('/key')).json()
    return describe(data)
  } catch (error) {
    return messageOf(error)
  }
}

function describe(key: KeyFacts): Member[] {
  const until = (time: string | null) => (time === null ? '' : ` – ${day(time)}`)
  const limit = (value: number | null) => (value === null ? t.noLimit : number(value))
  const sum = (name: 'requests' | 'items') => number(key.usage.reduce((total, row) => total + row[name], 0))
  return [
    [t.keyName, key.name],
    [t.keyExpires, key.expiresAt === null ? t.noExpiry : day(key.expiresAt)],
    [t.keyTiers, key.tiers.join(', ') || t.none],
    [t.keyGrants, key.grants.map(({ dataset, expiresAt }) => dataset.slug + until(expiresAt)).join(', ') || t.none],
    [t.keyRequestLimit, limit(key.requestsPerMinute)],
    [t.keyItemLimit, limit(key.itemsPerMinute)],
    [t.keyRequests, sum('requests')],
    [t.keyItems, sum('items')],
  ]
}
