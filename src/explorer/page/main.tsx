import { render } from 'preact'
import { byId } from '../shared/element.ts'
import { onKeyChange } from '../shared/key.ts'
import { LanguageChoice, startShell } from '../shared/shell.tsx'
import { Splitter } from '../shared/splitter.tsx'
import { t } from '../shared/text.ts'
import { Explorer } from './explorer.tsx'

/*
 * Starts the explorer. The shell starts first, because it takes a key out of the address.
 */

/** The narrowest panel in pixels, and the widest as a share of the page. It has a handle where it has a table (table.css). */
const LEAST = 320
const MOST_SHARE = 0.85

startShell(<LanguageChoice />)
byId('skip', HTMLAnchorElement).addEventListener('click', (event) => {
  // A fragment would be an entry in the history.
  event.preventDefault()
  byId('list', HTMLElement).focus()
})
// On a phone they would cover half of the map.
const isNarrow = matchMedia('(max-width: 760px)').matches
for (const id of ['legend', 'credit-box']) byId(id, HTMLDetailsElement).open = !isNarrow
const { documentElement } = document
const panel = byId('side', HTMLElement)
render(
  <Splitter
    class="panel-handle"
    label={t.panelWidth}
    controls={panel.id}
    width={() => panel.getBoundingClientRect().width}
    least={() => LEAST}
    most={() => Math.max(LEAST, documentElement.clientWidth * MOST_SHARE)}
    setWidth={(width) => documentElement.style.setProperty('--panel-width', `${width}px`)}
  />,
  byId('panel-split', HTMLElement),
)
const explorer = new Explorer()
onKeyChange(() => explorer.restart())
explorer.restart()
