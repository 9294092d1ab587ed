import { Combobox, type Option } from '../shared/combobox.ts'
import { element } from '../shared/dom.ts'
import { number } from '../shared/format.ts'
import { t } from '../shared/text.ts'
import { refined, type View } from './address.ts'
import { type Codes, type Facet, labelOf } from './codes.ts'

/*
 * The filters of a dataset: category and administrative area. Each is a list of the dataset's codes, which typing narrows.
 */

/** A list of all codes may have thousands. */
const MAX_OPTIONS = 100
const ANY: Option = { value: '', label: t.any }

/** Creates the form. `reads` are the codes as they are known, and as they are now; each counts when it comes. */
export function filterForm(view: View, reads: readonly Promise<Codes>[], open: (view: View) => void): HTMLElement {
  const facets = (name: keyof Codes) => reads.map((read) => read.then((codes) => codes[name]))
  return element(
    'div',
    { class: 'fields', role: 'group', 'aria-label': t.filters },
    ...field('category', t.category, view.category, facets('categories'), (category) =>
      open(refined(view, { category })),
    ),
    ...field('area', t.area, view.area, facets('areas'), (area) => open(refined(view, { area }))),
  )
}

function field(
  id: string,
  name: string,
  code: string | undefined,
  reads: readonly Promise<readonly Facet[]>[],
  choose: (code: string | undefined) => void,
): HTMLElement[] {
  let facets: readonly Facet[] = []
  let shown = code ?? ''
  const input = element('input', { id, value: shown, placeholder: ANY.label, autocomplete: 'off', spellcheck: false })
  const options = new Combobox(input, name, ({ value }) => choose(value || undefined))
  const open = (text: string, hasActive = false) => options.show(optionsFor(text, facets), hasActive)
  input.addEventListener('input', () => open(input.value, input.value.trim() !== ''))
  input.addEventListener('click', () => {
    input.select()
    open('')
  })
  input.addEventListener('keydown', ({ key, defaultPrevented }) => {
    // The list has just closed if it took the key.
    if (!defaultPrevented && !options.isOpen && ['ArrowDown', 'Enter'].includes(key))
      open(key === 'Enter' ? input.value : '')
  })
  const use = (read: readonly Facet[]) => {
    facets = read
    if (input.value === shown) input.value = labelOf(code ?? '', facets)
    shown = labelOf(code ?? '', facets)
    if (options.isOpen) open(input.value === shown ? '' : input.value)
  }
  // The list of places says what is wrong.
  for (const read of reads) read.then(use, () => {})
  // Text that is no code is no filter.
  input.addEventListener('blur', () => {
    input.value = shown
  })
  const combobox = element('div', { class: 'combobox' }, input, options.list)
  return [element('label', { for: id }, name), combobox]
}

function optionsFor(text: string, facets: readonly Facet[]): Option[] {
  const typed = text.trim().toLowerCase()
  const found = facets.filter(({ code, label }) => `${label ?? ''} ${code}`.toLowerCase().includes(typed))
  const rest = found.length - MAX_OPTIONS
  return [...(typed === '' ? [ANY] : []), ...found.slice(0, MAX_OPTIONS).map(optionOf)].map((option, i, all) =>
    rest > 0 && i === all.length - 1 ? { ...option, note: `${option.note}, ${t.narrow(rest)}` } : option,
  )
}

function optionOf({ code, label, total }: Facet): Option {
  return { value: code, label: label ?? code, note: number(total) }
}
