import { byId } from '../shared/element.ts'
import { onKeyChange } from '../shared/key.ts'
import { LanguageChoice, startShell } from '../shared/shell.tsx'
import { Explorer } from './explorer.tsx'
import { startPanelWidth } from './panel-width.tsx'

/*
 * Starts the explorer. The shell starts first, because it takes a key out of the address.
 */

startShell(<LanguageChoice />)
byId('skip', HTMLAnchorElement).addEventListener('click', (event) => {
  // A fragment would be an entry in the history.
  event.preventDefault()
  byId('list', HTMLElement).focus()
})
// On a phone they would cover half of the map.
const isNarrow = matchMedia('(max-width: 760px)').matches
for (const id of ['legend', 'credit-box']) byId(id, HTMLDetailsElement).open = !isNarrow
startPanelWidth(byId('side', HTMLElement), byId('panel-split', HTMLElement))
const explorer = new Explorer()
onKeyChange(() => explorer.restart())
explorer.restart()
