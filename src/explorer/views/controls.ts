import { button, element } from '../shared/dom.ts'
import { t } from '../shared/text.ts'

/*
 * A row of controls. Each opens a form below the row, one at a time, so that the results come first.
 */

export interface Control {
  id: string
  label: string
  form: HTMLElement
}

/** The form that stays open while a person uses it, from one view to the next. */
let open: string | undefined

/** Closes the form in the next row. */
export function closeControls(): void {
  open = undefined
}

/**
 * Creates the row.
 * @param first is the form that is open when no other is, because the view comes from it
 * @param more follows the controls in the row
 */
export function controlRow(
  controls: readonly Control[],
  first: string | undefined,
  ...more: (HTMLElement | undefined)[]
): HTMLElement {
  const shown = controls.find(({ id }) => id === open)?.id ?? first
  const show = (wanted: string | undefined) => {
    for (const { id, form } of controls) {
      form.hidden = id !== wanted
      buttons.get(id)?.setAttribute('aria-expanded', String(id === wanted))
    }
  }
  const buttons = new Map(
    controls.map(({ id, label, form }) => {
      form.id = `control-${id}`
      const toggle = () => {
        open = form.hidden ? id : undefined
        show(open)
      }
      return [id, button(label, toggle, { class: 'button', 'aria-controls': form.id, 'data-focus': form.id })] as const
    }),
  )
  show(shown)
  return element(
    'div',
    { class: 'controls' },
    element('div', { class: 'control-row', role: 'group', 'aria-label': t.controls }, ...buttons.values(), ...more),
    ...controls.map(({ form }) => form),
  )
}
