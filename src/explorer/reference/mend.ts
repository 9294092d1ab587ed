/**
 * Gives Scalar's page what it lacks: scrollable parts in reach of the keyboard, and no second banner beside the bar. On a phone it has a bar
 * that opens its contents.
 */
export function mendReference(root: HTMLElement): void {
  new MutationObserver(() => {
    for (const header of root.querySelectorAll('header:not([role])')) header.setAttribute('role', 'presentation')
    for (const bar of root.querySelectorAll('.t-doc__header:not([role])')) {
      bar.setAttribute('role', 'navigation')
      bar.setAttribute('aria-label', 'Contents')
    }
    for (const part of root.querySelectorAll<HTMLElement>(':is(.custom-scroll, .endpoints):not([tabindex])'))
      part.tabIndex = 0
  }).observe(root, { subtree: true, childList: true })
}
