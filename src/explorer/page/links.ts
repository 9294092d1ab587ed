import { formatAddress, parseAddress, type View } from '../data/address.ts'
import type { ViewArea } from './view-area.tsx'

/** Opens the views of links (`data-view`) in this page. */
export function followLinks(open: (view: View) => void, area: ViewArea): void {
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[data-view]') : null
    if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    // The next view is read from its heading, not from the legend.
    if (link.closest('#legend')) area.focus()
    // The way back goes back, so the map and the history are as they were.
    if (link.dataset.view === 'back' && history.state?.before === link.getAttribute('href')) history.back()
    else open(parseAddress(link.search))
  })
}

/** Adds an entry to the history. The one before keeps how far its view is scrolled. */
export function pushView(view: View, before: View, area: ViewArea): void {
  history.replaceState({ ...history.state, scrolled: area.scrollTop }, '')
  history.pushState({ before: formatAddress({ ...before, at: undefined }) }, '', formatAddress(view))
  area.scrollNextTo(undefined)
}

/** Writes a view into the current entry of the history. */
export function replaceView(view: View): void {
  history.replaceState(history.state, '', formatAddress(view))
}
