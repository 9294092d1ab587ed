import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Code } from '../../shared/button.tsx'
import { MemberList, TextLink } from '../../shared/members.tsx'
import { day, fillNumber, t } from '../../shared/text.ts'
import { CodeLabel, ViewLink } from '../context.tsx'
import type { Item } from './request.ts'

/*
 * What is known of an item, in the order in which a person asks for it: category, area, address, opening hours, contact. Empty
 * members and the raw members are folded away.
 */

/** The members that have a value, by their labels, and the dataset if asked for. */
export function ItemFacts({ item, hasDataset }: { item: Item; hasDataset: boolean }) {
  const { slug, name } = item.dataset
  return (
    <MemberList
      members={[
        [t.dataset, hasDataset && <ViewLink to={{ dataset: slug }}>{name}</ViewLink>],
        [t.category, <CodeLink key="category" item={item} filter="category" />],
        [t.area, <CodeLink key="area" item={item} filter="area" />],
        [t.keywords, item.keywords.join(', ')],
        [t.address, addressOf(item)],
        [t.lotAddress, item.jibunAddress],
        [t.openingHours, item.openingHours],
        [t.telephone, item.telephone],
        [t.email, item.email],
        [t.website, item.url && <TextLink text={item.url} />],
        [t.contact, item.contactName],
        [t.coordinates, `${item.latitude}, ${item.longitude}`],
        [t.lastChanged, day(item.updatedAt)],
      ]}
    />
  )
}

/** A link to all places of the dataset with the same code. */
function CodeLink({ item, filter }: { item: Item; filter: 'category' | 'area' }) {
  const [of, code] =
    filter === 'category'
      ? (['categories', item.categoryCode] as const)
      : (['areas', item.administrativeAreaCode] as const)
  return (
    <ViewLink to={{ dataset: item.dataset.slug, [filter]: code }} title={code}>
      <CodeLabel of={of} code={code} dataset={item.dataset.id} />
    </ViewLink>
  )
}

/** The source's own attributes, if there are some. */
export function Attributes({ item: { extraAttributes } }: { item: Item }) {
  const known = Object.entries(extraAttributes).filter(([, value]) => !isEmpty(value))
  if (known.length === 0) return null
  return (
    <section>
      <h2>{t.fromSource}</h2>
      <MemberList class="attributes" members={known.map(([name, value]) => [name, textOf(value)])} />
    </section>
  )
}

/** The names of the members without a value, and all members as JSON, both folded. */
export function FoldedMembers({ item: { dataset: _, parent, children, images, ...members } }: { item: Item }) {
  const { extraAttributes, ...own } = members
  const empty = [...Object.entries(own), ...Object.entries(extraAttributes)]
    .filter(([, value]) => isEmpty(value))
    .map(([name]) => name)
  return (
    <>
      {empty.length > 0 && (
        <Folded summary={fillNumber(t.emptyMembers, empty.length)}>
          <p>{empty.join(', ')}</p>
        </Folded>
      )}
      <Folded summary={t.json}>
        <Code>{JSON.stringify(members, undefined, 2)}</Code>
      </Folded>
    </>
  )
}

function Folded({ summary, children }: { summary: string; children: ComponentChildren }) {
  const [wasOpen, open] = useState(false)
  return (
    <details class="folded" onToggle={() => open(true)}>
      <summary>{summary}</summary>
      {wasOpen && children}
    </details>
  )
}

/** The lines of the address. A line that another one contains says nothing new. */
export function addressOf(item: Item): string {
  const { streetAddress, roadAddress, postalCode, addressLocality, addressRegion } = item
  const town = [postalCode, addressLocality, addressRegion].filter((part) => part).join(' ')
  const lines = [...new Set([roadAddress ?? '', streetAddress, town])].filter((line) => line !== '')
  return lines.filter((line) => !lines.some((other) => other !== line && other.includes(line))).join('\n')
}

/** Whether there is nothing to show: no value, or an empty text, list or object. */
function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0
  return value === null || value === undefined || value === ''
}

/** A list is written with commas, an object as JSON. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  return typeof value === 'object' ? JSON.stringify(value, undefined, 1) : String(value)
}
