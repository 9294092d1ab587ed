import { useLayoutEffect, useRef } from 'preact/hooks'
import { byId } from '../../shared/element.ts'

/** The field for the key, which stands in the text while there is no key, and else in the bar. */
export function KeySlot() {
  const slot = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const form = byId('key-form', HTMLFormElement)
    const status = byId('key-status', HTMLElement)
    const known = byId('key-known', HTMLElement)
    slot.current?.append(form, status)
    form.querySelector('input')?.focus()
    return () => {
      known.before(form)
      known.after(status)
    }
  }, [])
  return <div class="key-slot" ref={slot} />
}
