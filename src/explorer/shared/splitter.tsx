import { useLayoutEffect, useState } from 'preact/hooks'

/*
 * A handle that changes a width: dragged, or moved with the arrow keys (https://www.w3.org/WAI/ARIA/apg/patterns/windowsplitter/).
 * split.js and the `resize` of CSS have neither the keys nor the role.
 */

/** Pixels. */
const STEP = 16

/** A width that a handle changes, in pixels. */
interface Split {
  class: string
  label: string
  controls?: string
  width: () => number
  least: () => number
  most: () => number
  setWidth: (width: number) => void
}

export function Splitter({ label, controls, width, least, most, setWidth, ...attributes }: Split) {
  const [now, say] = useState(least)
  // The browser chooses the first width when the handle is on the page. Later widths may depend on the window.
  useLayoutEffect(() => {
    const frame = requestAnimationFrame(() => say(width()))
    return () => cancelAnimationFrame(frame)
  }, [])
  const change = (wanted: number) => {
    const next = Math.round(Math.min(most(), Math.max(least(), wanted)))
    setWidth(next)
    say(next)
  }
  const drag = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    event.preventDefault()
    const handle = event.currentTarget
    handle.setPointerCapture(event.pointerId)
    const offset = width() - event.clientX
    const move = (next: PointerEvent) => change(next.clientX + offset)
    handle.addEventListener('pointermove', move)
    handle.addEventListener('lostpointercapture', () => handle.removeEventListener('pointermove', move), { once: true })
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: an <hr> can't be moved
    <span
      {...attributes}
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={label}
      aria-controls={controls}
      aria-valuemin={Math.round(least())}
      aria-valuemax={Math.round(most())}
      aria-valuenow={Math.round(now)}
      onFocus={() => say(width())}
      onPointerDown={drag}
      onKeyDown={(event) => {
        const wanted = {
          ArrowLeft: width() - STEP,
          ArrowRight: width() + STEP,
          Home: least(),
          End: most(),
        }[event.key]
        if (wanted === undefined) return
        event.preventDefault()
        change(wanted)
      }}
    />
  )
}
