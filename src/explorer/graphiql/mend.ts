/*
 * What GraphiQL's own page lacks for screen readers and the keyboard.
 */

/**
 * Each of its tabs is an element of the role `tab` with two buttons in it, which ARIA does not allow: a screen reader hears only the tab. As a
 * list of buttons all of them are there.
 */
export function mendTabs(root: HTMLElement): void {
  const mend = () => {
    for (const list of root.querySelectorAll('ul[role="tablist"]')) list.removeAttribute('role')
    for (const tab of root.querySelectorAll('li[aria-selected]')) {
      tab.setAttribute('aria-current', tab.getAttribute('aria-selected') ?? 'false')
      for (const name of ['role', 'aria-selected']) tab.removeAttribute(name)
    }
  }
  const changes = { subtree: true, childList: true, attributes: true, attributeFilter: ['aria-selected'] }
  new MutationObserver(mend).observe(root, changes)
}

/** Moves the focus to the editor of the query when it is there, unless a person is somewhere else by then. */
export function focusEditor(root: HTMLElement): void {
  const wait = new MutationObserver(() => {
    const editor = root.querySelector<HTMLElement>(
      '.graphiql-query-editor :is(textarea.inputarea, .native-edit-context)',
    )
    if (!editor) return
    wait.disconnect()
    if (document.activeElement === document.body) editor.focus()
  })
  wait.observe(root, { subtree: true, childList: true })
}
