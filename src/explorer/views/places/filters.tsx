import { useRef, useState } from 'preact/hooks'
import { refined, type View } from '../../data/address.ts'
import { type Codes, type Facet, labelOf, NO_CODES } from '../../data/datasets.ts'
import { Combobox, type Option } from '../../shared/combobox.tsx'
import { useLater } from '../../shared/later.ts'
import { distance, fill, number, t } from '../../shared/text.ts'
import { CodeLabel, usePage, ViewLink } from '../context.tsx'

/*
 * The filters of a dataset: category and administrative area. Each is a list of the dataset's codes, which typing narrows.
 */

/** A list of all codes may have thousands. */
const MAX_OPTIONS = 100
const ANY: Option = { value: '', label: t.any }

/** `reads` are the codes as they are known, and as they are now; each counts when it comes. */
export function FilterForm({ reads: [known, now] }: { reads: readonly [Promise<Codes>, Promise<Codes>] }) {
  const [before, current] = [useLater(known), useLater(now)]
  const { categories, areas } = current ?? before ?? NO_CODES
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset can't be a grid in all browsers
    <div class="fields" role="group" aria-label={t.filters}>
      <Field id="category" name={t.category} facets={categories} />
      <Field id="area" name={t.area} facets={areas} />
    </div>
  )
}

function Field({ id, name, facets }: { id: 'category' | 'area'; name: string; facets: readonly Facet[] }) {
  const { view, open } = usePage()
  const input = useRef<HTMLInputElement>(null)
  const shown = labelOf(view[id] ?? '', facets)
  /** What a person has typed; undefined while they have not. */
  const [typed, type] = useState<string>()
  /** What the options are for; undefined while the list is closed. */
  const [wanted, want] = useState<string>()
  return (
    <>
      <label for={id}>{name}</label>
      <Combobox
        id={id}
        input={input}
        label={name}
        value={typed ?? shown}
        placeholder={ANY.label}
        options={wanted === undefined ? NONE : optionsFor(wanted, facets)}
        hasActive={wanted !== undefined && wanted.trim() !== ''}
        choose={({ value }) => open(refined(view, { [id]: value || undefined }))}
        close={() => want(undefined)}
        onInput={({ currentTarget: { value } }) => {
          type(value)
          want(value)
        }}
        onClick={({ currentTarget }) => {
          currentTarget.select()
          want('')
        }}
        onKeyDown={(event) => {
          if (wanted !== undefined || event.isComposing || !['ArrowDown', 'Enter'].includes(event.key)) return
          want(event.key === 'Enter' ? (typed ?? shown) : '')
        }}
        // Text that is no code is no filter.
        onBlur={() => type(undefined)}
      />
    </>
  )
}

const NONE: readonly Option[] = []

function optionsFor(text: string, facets: readonly Facet[]): Option[] {
  const typed = text.trim().toLowerCase()
  const found = facets.filter(({ code, label }) => `${label ?? ''} ${code}`.toLowerCase().includes(typed))
  const rest = found.length - MAX_OPTIONS
  return [...(typed === '' ? [ANY] : []), ...found.slice(0, MAX_OPTIONS).map(optionOf)].map((option, i, all) =>
    rest > 0 && i === all.length - 1
      ? { ...option, note: `${String(option.note)}, ${fill(t.narrow, { rest })}` }
      : option,
  )
}

function optionOf({ code, label, total }: Facet): Option {
  return { value: code, label: label ?? code, note: number(total) }
}

/** The filters of the view, below its title. Each is a link to the view without it. */
export function FilterChips() {
  const { view } = usePage()
  const { dataset = '', category, area, near } = view
  const chips = [
    {
      filter: 'category',
      name: t.category,
      value: category && <CodeLabel of="categories" code={category} dataset={dataset} />,
    },
    { filter: 'area', name: t.area, value: area && <CodeLabel of="areas" code={area} dataset={dataset} /> },
    { filter: 'near', name: t.nearby, value: near && placeOf(near) },
  ].filter(({ value }) => value !== undefined)
  if (chips.length === 0) return null
  return (
    <ul class="chips" aria-label={t.filters}>
      {chips.map(({ filter, name, value }) => (
        <li key={filter}>
          <ViewLink to={refined(view, { [filter]: undefined })} title={t.removeFilter}>
            <span class="visually-hidden">{t.removeFilter} </span>
            {name}: <bdi>{value}</bdi>
            <span aria-hidden="true"> ×</span>
          </ViewLink>
        </li>
      ))}
    </ul>
  )
}

/** For example `1 km, 37.5800, 126.9800`. */
function placeOf({ latitude, longitude, radius }: NonNullable<View['near']>): string {
  return `${distance(radius)}, ${latitude.toFixed(4)}, ${longitude.toFixed(4)}`
}
