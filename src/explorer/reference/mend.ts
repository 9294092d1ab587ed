/** Gives Scalar's page what it lacks: scrollable parts in reach of the keyboard, and no second banner beside the bar. */
export function mendReference(root: HTMLElement): void {
  new MutationObserver(() => {
    for (const header of root.querySelectorAll('header:not([role])')) header.setAttribute('role', 'presentation')
    for (const part of root.querySelectorAll<HTMLElement>(':is(.custom-scroll, .endpoints):not([tabindex])'))
      part.tabIndex = 0
  }).observe(root, { subtree: true, childList: true })
}
