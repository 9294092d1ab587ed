import { byId } from '../shared/dom.ts'
import { onKeyChange } from '../shared/key.ts'
import { startKeyField } from '../shared/key-field.ts'
import { Explorer } from './explorer.ts'

/*
 * The explorer: the datasets that a key opens, on a map. The key field is first: it takes a key out of the address.
 */

startKeyField()
const explorer = new Explorer(byId('list', HTMLElement), byId('map', HTMLElement))
onKeyChange(() => explorer.restart())
explorer.restart()
