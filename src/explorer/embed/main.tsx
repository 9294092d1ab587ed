import { render } from 'preact'
import { parseAddress } from '../data/address.ts'
import { showWaiting } from '../page/map-lines.tsx'
import { byId } from '../shared/element.ts'
import { useKeyInAddress } from '../shared/key.ts'
import { onWaiting } from '../shared/patience.ts'
import { t, translatePage } from '../shared/text.ts'
import { FrameMap } from './frame-map.ts'

/*
 * Starts the page in a frame. Elsewhere it shows nothing, as the gateway does for browsers that say where a page opens.
 */

translatePage()
onWaiting(showWaiting)
// In a small frame they would cover the map.
for (const id of ['legend', 'credit-box']) byId(id, HTMLDetailsElement).open = innerWidth >= 500
const refusal = window.top === window ? t.frameOnly : useKeyInAddress() ? undefined : t.frameNeedsKey
if (refusal === undefined) new FrameMap(parseAddress(location.search)).start()
else {
  const frame = byId('frame', HTMLElement)
  frame.replaceChildren()
  render(<p class="no-map">{refusal}</p>, frame)
}
