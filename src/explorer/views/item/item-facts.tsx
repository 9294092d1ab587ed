import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { labelOf, NO_CODES } from '../../data/codes.ts'
import { day } from '../../shared/format.ts'
import { useLater } from '../../shared/later.tsx'
import { fillNumber } from '../../shared/say.ts'
import { t } from '../../shared/text.ts'
import { usePage } from '../context.ts'
import { MemberList, WebLink } from '../members.tsx'
import { ViewLink } from '../view-link.tsx'
import { addressOf, isEmpty, textOf } from './item-text.ts'
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
        [t.website, item.url && <WebLink url={item.url} />],
        [t.contact, item.contactName],
        [t.coordinates, `${item.latitude}, ${item.longitude}`],
        [t.lastChanged, day(item.updatedAt)],
      ]}
    />
  )
}

/** A link to all places of the dataset with the same code. */
function CodeLink({ item, filter }: { item: Item; filter: 'category' | 'area' }) {
  const { codesOf, view } = usePage()
  const codes = useLater(codesOf(view.dataset ?? item.dataset.id), NO_CODES)
  const code = filter === 'category' ? item.categoryCode : item.administrativeAreaCode
  const facets = codes?.[filter === 'category' ? 'categories' : 'areas']
  return (
    <ViewLink to={{ dataset: item.dataset.slug, [filter]: code }} title={code}>
      {facets && labelOf(code, facets)}
    </ViewLink>
  )
}

/** The source's own attributes as a table, if there are some. */
export function AttributeTable({ item: { extraAttributes } }: { item: Item }) {
  const rows = Object.entries(extraAttributes).filter(([, value]) => !isEmpty(value))
  if (rows.length === 0) return null
  return (
    <section>
      <h2>{t.fromSource}</h2>
      <table class="attributes">
        <tbody>
          {rows.map(([name, value]) => (
            <tr key={name}>
              <th scope="row" dir="auto">
                {name}
              </th>
              <td dir="auto">{textOf(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
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
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls, so the keyboard must reach it */}
        <pre tabIndex={0}>
          <code>{JSON.stringify(members, undefined, 2)}</code>
        </pre>
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
