import { byId } from '../shared/dom.ts'
import { onKeyChange } from '../shared/key.ts'
import { startKeyField } from '../shared/key-field.ts'
import { languageChoice, translatePage } from '../shared/text.ts'
import { Explorer } from './explorer.ts'
import { startPanelWidth } from './panel-width.ts'

/*
 * Starts the explorer. The key field starts first, because it takes a key out of the address.
 */

translatePage()
startKeyField()
byId('page-tools', HTMLElement).append(languageChoice())
byId('skip', HTMLAnchorElement).addEventListener('click', (event) => {
  // A fragment would be an entry in the history.
  event.preventDefault()
  byId('list', HTMLElement).focus()
})
// On a phone they would cover half of the map.
const isNarrow = matchMedia('(max-width: 760px)').matches
for (const id of ['legend', 'credit-box']) byId(id, HTMLDetailsElement).open = !isNarrow
startPanelWidth(byId('side', HTMLElement))
const explorer = new Explorer(byId('list', HTMLElement), byId('map', HTMLElement))
onKeyChange(() => explorer.restart())
explorer.restart()
