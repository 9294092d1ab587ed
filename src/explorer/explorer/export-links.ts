import { readError, send } from '../shared/api.ts'
import { button, element } from '../shared/dom.ts'
import type { Dataset } from './data.ts'

/*
 * Downloads of a whole dataset. The key is in a header, so a plain link can't get the file: the page reads it, and gives it to the
 * browser to save.
 */

const FORMATS = { ndjson: 'NDJSON', csv: 'CSV', geojson: 'GeoJSON' } as const

/** Creates a button for each format, and a line with the status. */
export function exportLinks({ slug }: Dataset): HTMLElement {
  const status = element('span', { class: 'soft small', role: 'status' })
  const download = async (name: string) => {
    status.textContent = `Downloading ${name} …`
    status.textContent = await save(name).then(
      () => `${name} is complete.`,
      (error: unknown) => `${name} is not complete: ${error instanceof Error ? error.message : error}`,
    )
  }
  return element(
    'p',
    { class: 'exports' },
    'Download all places: ',
    ...Object.entries(FORMATS).map(([ending, format]) =>
      button(format, () => void download(`${slug}.${ending}`), { class: 'button' }),
    ),
    status,
  )
}

/** Reads an export and lets the browser save it. Throws an error when the server refuses it or cuts it off. */
async function save(name: string): Promise<void> {
  const response = await send(`/exports/${encodeURIComponent(name)}`)
  if (!response.ok) throw await readError(response)
  const url = URL.createObjectURL(await response.blob())
  element('a', { href: url, download: name }).click()
  // The browser has the file by then. Before, it may still read the URL.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
