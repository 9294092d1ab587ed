import { useLayoutEffect, useRef, useState } from 'preact/hooks'

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
  /** From the pointer to the width. */
  const grip = useRef(0)
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
      onPointerDown={(event) => {
        event.preventDefault()
        event.currentTarget.setPointerCapture(event.pointerId)
        grip.current = width() - event.clientX
      }}
      onPointerMove={({ currentTarget, pointerId, clientX }) =>
        currentTarget.hasPointerCapture(pointerId) && change(clientX + grip.current)
      }
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
