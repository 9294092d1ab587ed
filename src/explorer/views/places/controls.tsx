import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { t } from '../../shared/text.ts'

/*
 * A row of controls. Each opens a form below the row, one at a time, so that the results come first.
 */

const CONTROLS = [
  { id: 'filters', label: t.filters, icon: 'M3 5h18l-7 8v6l-4 2v-8z' },
  {
    id: 'nearby',
    label: t.nearby,
    icon: 'M12 2a7 7 0 0 0-7 7c0 5 7 13 7 13s7-8 7-13a7 7 0 0 0-7-7zm0 9.5a2.5 2.5 0 1 1 0-5 2.5 2.5 0 0 1 0 5z',
  },
  { id: 'download', label: t.download, icon: 'M11 3h2v9l3-3 1.4 1.4L12 15.8l-5.4-5.4L8 9l3 3zM4 18h16v2H4z' },
] as const
type Control = (typeof CONTROLS)[number]['id']

/** The form that stays open while a person uses it, from one view to the next. */
let openForm: Control | undefined

/** Closes the form in the next row. */
export function closeControls(): void {
  openForm = undefined
}

interface ControlRowProps {
  /** The forms that the view has. */
  controls: Readonly<Partial<Record<Control, ComponentChildren>>>
  /** The form that is open when no other is, because the view comes from it. */
  first?: Control | undefined
  /** Stands before the controls in the row. */
  children?: ComponentChildren
}

export function ControlRow({ controls, first, children }: ControlRowProps) {
  const [shown, show] = useState(openForm && openForm in controls ? openForm : first)
  const given = CONTROLS.filter(({ id }) => id in controls)
  const toggle = (id: Control) => {
    openForm = id === shown ? undefined : id
    show(openForm)
  }
  return (
    <div class="controls">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset has no row of buttons */}
      <div class="control-row" role="group" aria-label={t.controls}>
        {children}
        {given.map(({ id, label, icon }) => (
          <button
            key={id}
            type="button"
            class="button"
            aria-controls={`control-${id}`}
            aria-expanded={id === shown}
            data-focus={`control-${id}`}
            onClick={() => toggle(id)}
          >
            <svg viewBox="0 0 24 24" aria-hidden="true">
              <path d={icon} />
            </svg>
            {label}
          </button>
        ))}
      </div>
      {given.map(({ id }) => (
        <div key={id} id={`control-${id}`} hidden={id !== shown}>
          {id === shown && controls[id]}
        </div>
      ))}
    </div>
  )
}
