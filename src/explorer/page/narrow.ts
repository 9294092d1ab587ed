/** Whether the map stands above the list: on a phone, and on a screen as narrow. The style sheets have the same condition. */
export function isNarrow(): boolean {
  return matchMedia('(max-width: 560px), (max-width: 760px) and (orientation: portrait)').matches
}
