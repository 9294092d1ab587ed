import { filtersOf } from '../map/tiles.ts'
import { readError, send } from '../shared/api.ts'
import { button, element } from '../shared/dom.ts'
import { messageOf } from '../shared/error-text.ts'
import { size as sizeOf } from '../shared/format.ts'
import { t } from '../shared/text.ts'
import type { View } from './address.ts'
import type { Dataset } from './data.ts'
import { readPageData } from './page-data.ts'

/*
 * Downloads of a dataset, or of its places with the filters of a view. The key is in a header, so a plain link can't get the file: the
 * page reads it, and gives it to the browser to save.
 */

/** The size of a file in bytes. Large ones are estimated. */
export interface ExportSize {
  format: string
  bytes: number
  isExact: boolean
}

/** Creates a button for each format of people or of programs, with its size if the gateway knows it, and a line with the status. */
export function exportLinks(
  { slug }: Dataset,
  view: View,
  readers: 'people' | 'programs',
  sizes: readonly ExportSize[] = [],
): HTMLElement {
  const formats = readPageData().formats.filter((format) => format.readers === readers)
  const filters = new URLSearchParams(filtersOf(view))
  const status = element('span', { class: 'soft small', role: 'status' })
  const download = async (name: string) => {
    status.textContent = t.downloading(name)
    status.textContent = await save(name, filters).then(
      () => t.downloaded(name),
      (error: unknown) => t.notDownloaded(name, messageOf(error)),
    )
  }
  return element(
    'p',
    { class: 'exports' },
    element('span', {}, filters.size > 0 ? t.downloadFiltered : t.downloadAll),
    ...formats.map(({ name, title }) =>
      button(title + sizeText(sizes.find((size) => size.format === name)), () => void download(`${slug}.${name}`), {
        class: 'button',
      }),
    ),
    status,
  )
}

/** For example ` (12 kB)` or ` (about 1.4 MB)`. */
export function sizeText(size: ExportSize | undefined): string {
  if (!size) return ''
  const amount = sizeOf(size.bytes)
  return ` (${size.isExact ? amount : t.aboutSize(amount)})`
}

/** Reads an export and lets the browser save it. Throws an error when the server refuses it or cuts it off. */
async function save(name: string, filters: URLSearchParams): Promise<void> {
  const response = await send(`/exports/${encodeURIComponent(name)}${filters.size > 0 ? `?${filters}` : ''}`)
  if (!response.ok) throw await readError(response)
  const url = URL.createObjectURL(await response.blob())
  element('a', { href: url, download: name }).click()
  // The browser has the file by then. Before, it may still read the URL.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
