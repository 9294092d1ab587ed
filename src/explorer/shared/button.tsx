import { type ButtonHTMLAttributes, type ComponentChildren, Fragment } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { t } from './text.ts'

/*
 * Texts to copy, and buttons that say for a short time what they have done.
 */

/** How long a button shows a message. */
const MESSAGE_MS = 4_000

interface SayingButton extends ButtonHTMLAttributes<HTMLButtonElement> {
  label: string
  /** What a click does. It may say what came of it. */
  act: (say: (message: string) => void) => unknown
}

export function SayingButton({ label, act, ...attributes }: SayingButton) {
  const [said, say] = useState<{ message: string; time: number }>()
  useEffect(() => {
    if (!said) return
    const timer = setTimeout(() => say(undefined), MESSAGE_MS)
    return () => clearTimeout(timer)
  }, [said])
  return (
    <button
      type="button"
      {...attributes}
      onClick={() => void act((message) => say({ message, time: performance.now() }))}
    >
      {/* The same message again is a new one. */}
      <Fragment key={said?.time}>{said?.message ?? label}</Fragment>
    </button>
  )
}

/** Copies a text, and says whether it could. Returns that. */
export async function copy(text: string, say: (message: string) => void): Promise<boolean> {
  const isCopied = await navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  )
  say(isCopied ? t.copied : t.copyRefused)
  return isCopied
}

/** A text of code. A long one scrolls, so the keyboard reaches it. */
export function Code({ children }: { children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <pre tabIndex={0}>
      <code>{children}</code>
    </pre>
  )
}
