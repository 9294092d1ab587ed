import { readError, send } from './api.ts'
import { element } from './dom.ts'
import { messageOf } from './error-text.ts'
import { day, number } from './format.ts'
import { t } from './text.ts'

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
  details.addEventListener('toggle', async () => {
    details.querySelector('div')?.remove()
    if (!details.open) return
    // A late answer comes into an element that is not in the page any more.
    const facts = element('div')
    details.append(facts)
    facts.append(await readFacts())
  })
}

async function readFacts(): Promise<HTMLElement> {
  try {
    const response = await send('/key')
    if (!response.ok) throw await readError(response)
    const { data }: { data: KeyFacts } = await response.json()
    return element(
      'dl',
      {},
      ...describe(data).flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]),
    )
  } catch (error) {
    return element('p', {}, messageOf(error))
  }
}

function describe(key: KeyFacts): [string, string][] {
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
