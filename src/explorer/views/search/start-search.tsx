import { render } from 'preact'
import { SearchForm, type SearchProps } from './search-form.tsx'

/** Puts the form into an element. */
export function startSearch(place: HTMLElement, props: Omit<SearchProps, 'ready'>): SearchForm {
  let form: SearchForm | undefined
  const ready = (drawn: SearchForm) => {
    form = drawn
  }
  render(<SearchForm {...props} ready={ready} />, place)
  if (!form) throw new TypeError('The search was not drawn')
  return form
}
