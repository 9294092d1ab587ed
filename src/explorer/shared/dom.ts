import { t } from './text.ts'

/*
 * Creates elements. Text is always set as text, never as HTML, so a browser shows markup in data and does not execute it.
 */

type Known = Node | string | undefined
/** A promise is a child that comes when it is known, such as a total; nothing comes if it fails. */
export type Child = Known | Promise<Known>

/** Creates an element with attributes and children. It leaves out attributes that are undefined or false. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | number | boolean | undefined>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) made.setAttribute(attribute, value === true ? '' : String(value))
  }
  made.append(...children.flatMap((child) => (child instanceof Promise ? later('', child) : (child ?? []))))
  return made
}

/** Returns a text that stands for a child until it comes. */
export function later(text: string, child: Promise<Known>): Text {
  const place = document.createTextNode(text)
  child.then(
    (known) => place.replaceWith(known ?? ''),
    () => {},
  )
  return place
}

/** Creates a button that runs an action. */
export function button(label: string, onClick: () => void, attributes: Record<string, string> = {}): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, label)
  made.addEventListener('click', onClick)
  return made
}

/** Returns the element with an id. Throws when the page has none of that type. */
export function byId<Type extends HTMLElement>(id: string, type: new () => Type): Type {
  const found = document.getElementById(id)
  if (found instanceof type) return found
  throw new TypeError(`The page has no ${type.name} with the id ${id}`)
}

/** How long a button shows a message. */
const MESSAGE_MS = 4_000
/** The timers that restore the labels of buttons. */
const resets = new WeakMap<HTMLButtonElement, number>()

/** Copies a text, and says on the button for a short time whether it could. Returns that. */
export async function copy(text: string, on: HTMLButtonElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    showOnButton(t.copyRefused, on)
    return false
  }
  showOnButton(t.copied, on)
  return true
}

/** Shows a message instead of a button's label for a short time. */
export function showOnButton(message: string, on: HTMLButtonElement): void {
  const label = on.dataset.label ?? on.textContent ?? ''
  on.dataset.label = label
  on.textContent = message
  // The timer of an earlier message would end this one.
  window.clearTimeout(resets.get(on))
  const reset = window.setTimeout(() => {
    on.textContent = label
  }, MESSAGE_MS)
  resets.set(on, reset)
}
