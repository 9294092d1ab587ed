import { clearProgress, showProgress } from './print.ts'

/** Shows how far an export is. */
interface ExportProgress {
  /** Adds items that were read. */
  add: (count: number) => void
  /** Clears the line, so that another line can be printed. */
  clear: () => void
}

const INTERVAL_MS = 100

/** Shows the number of read items on a terminal, in one line that it overwrites. */
export function terminalProgress(total: number): ExportProgress {
  const startMs = Date.now()
  let items = 0
  let shownAtMs = startMs
  return {
    add: (count) => {
      items += count
      const nowMs = Date.now()
      if (nowMs - shownAtMs < INTERVAL_MS && items < total) return
      shownAtMs = nowMs
      const share = total === 0 ? 100 : Math.floor((100 * items) / total)
      const rate = Math.round((1000 * items) / Math.max(1, nowMs - startMs))
      showProgress(`${share} %, ${items} of ${total} items, ${rate} items/s`)
    },
    clear: clearProgress,
  }
}
