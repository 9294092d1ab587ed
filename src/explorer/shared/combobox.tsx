import ComboboxNav from '@github/combobox-nav'
import type { ComponentChildren, InputHTMLAttributes, RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/*
 * A text field with a list of options below it, by the pattern "combobox" of the ARIA Authoring Practices: the focus stays in the
 * field, the arrow keys choose an option, Enter takes it, Escape closes the list.
 */

export interface Option {
  value: string
  label: string
  /** A second text beside the label, such as a total. */
  note?: ComponentChildren
}

type Field = 'value' | 'placeholder' | 'enterkeyhint' | 'aria-describedby' | 'aria-invalid'
type Events = 'onInput' | 'onClick' | 'onKeyDown' | 'onBlur'

interface ComboboxProps extends Pick<InputHTMLAttributes<HTMLInputElement>, Field | Events> {
  id: string
  input: RefObject<HTMLInputElement | null>
  /** The name of the list for screen readers. */
  label: string
  /** The list is open if there are some. */
  options: readonly Option[]
  /** Whether an option is always active, the first one to begin with; otherwise none may be. */
  hasActive?: boolean
  choose: (option: Option) => void
  close: () => void
  /** Of the field. */
  type?: 'text' | 'search'
}

export function Combobox({ id, input, label, options, hasActive = false, choose, close, ...field }: ComboboxProps) {
  const list = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const { current } = input
    if (!current || !list.current || options.length === 0) return
    return navigate(current, list.current, hasActive)
  }, [options, hasActive])
  const isOpen = options.length > 0
  return (
    <div class="combobox">
      <input
        // biome-ignore lint/a11y/noRedundantRoles: without a <datalist> it is no combobox
        role="combobox"
        // The options are no <datalist>.
        list={undefined}
        autocomplete="off"
        spellcheck={false}
        aria-autocomplete="list"
        aria-expanded="false"
        aria-controls={`${id}-options`}
        {...field}
        id={id}
        ref={input}
        onBlur={(event) => {
          close()
          field.onBlur?.(event)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && isOpen && !event.isComposing) {
            close()
            // Escape would also empty a search field.
            event.preventDefault()
          } else field.onKeyDown?.(event)
        }}
      />
      <div
        ref={list}
        class="options"
        id={`${id}-options`}
        role="listbox"
        aria-label={label}
        hidden={!isOpen}
        // The field keeps the focus.
        onMouseDown={(event) => event.preventDefault()}
      >
        {options.map((option, n) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus
          // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the field clicks the option
          <div key={option.value} class="option" role="option" id={`${id}-options-${n}`} onClick={() => choose(option)}>
            <bdi>{option.label}</bdi>
            {option.note !== undefined && <span class="soft">{option.note}</span>}
          </div>
        ))}
      </div>
    </div>
  )
}

/** Lets the keys of the field choose an option, until the returned function is called. */
function navigate(input: HTMLInputElement, list: HTMLElement, hasActive: boolean): () => void {
  const keys = new ComboboxNav(input, list, {
    tabInsertsSuggestions: false,
    firstOptionSelectionMode: hasActive ? 'selected' : 'none',
  })
  /** Behind the last option is no option; if one must be active, it is the first. */
  const goOn = ({ key }: KeyboardEvent) => {
    if (hasActive && key !== 'Escape' && !input.hasAttribute('aria-activedescendant'))
      keys.navigate(key === 'ArrowUp' ? -1 : 1)
  }
  keys.start()
  input.addEventListener('keydown', goOn)
  return () => {
    keys.stop()
    input.removeEventListener('keydown', goOn)
  }
}
