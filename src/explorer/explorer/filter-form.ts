import { button, element } from '../shared/dom.ts'
import type { View } from './address.ts'
import type { Codes, Facet } from './codes.ts'

/*
 * The filters of a dataset: category and administrative area. The form offers the codes of the dataset, with their counts.
 */

/** Creates the form. */
export function filterForm(view: View, { categories, areas }: Codes, open: (view: View) => void): HTMLElement {
  const { dataset, text, within, at } = view
  // A search in the visible part of the map must not move the map.
  const unfiltered = { dataset, text, within, at: within && at }
  const category = field('category', view.category, categories)
  const area = field('area', view.area, areas)
  const form = element(
    'form',
    { class: 'fields' },
    element('label', { for: 'category' }, 'Category'),
    ...category,
    element('label', { for: 'area' }, 'Area'),
    ...area,
    element('button', { type: 'submit', class: 'button' }, 'Filter'),
    view.category || view.area ? button('Clear', () => open(unfiltered), { class: 'button' }) : undefined,
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const value = ([input]: ReturnType<typeof field>) => input.value.trim() || undefined
    open({ ...unfiltered, category: value(category), area: value(area) })
  })
  return form
}

function field(
  id: string,
  value: string | undefined,
  facets: readonly Facet[],
): [HTMLInputElement, HTMLDataListElement] {
  return [
    element('input', { id, value: value ?? '', list: `${id}-codes`, placeholder: 'any', autocomplete: 'off' }),
    element(
      'datalist',
      { id: `${id}-codes` },
      ...facets.map((facet) => element('option', { value: facet.code }, optionText(facet))),
    ),
  ]
}

function optionText({ code, label, total }: Facet): string {
  return `${label === null ? code : `${label}, ${code}`} (${total.toLocaleString('en')})`
}
