import { useMemo, useState } from 'preact/hooks'
import { filtersOf, type View } from '../../data/address.ts'
import type { Dataset } from '../../data/datasets.ts'
import { request, runGraphQL } from '../../shared/api.ts'
import { messageOf } from '../../shared/api-error.ts'
import { useLater } from '../../shared/later.ts'
import { readPageData } from '../../shared/page-data.ts'
import { fill, sizeText, t } from '../../shared/text.ts'
import type { ExportSize } from '../about/request.ts'

/*
 * Downloads of a dataset, or of its places with the filters of a view. The key is in a header, so a plain link can't get the file: the
 * page reads it, and gives it to the browser to save.
 */

interface ExportLinksProps {
  dataset: Dataset
  view: View
  /** If they are known; else they are read. */
  sizes?: readonly ExportSize[]
}

/** A button for each format, with its size if the gateway knows it, and a line with the status. */
export function ExportLinks({ dataset: { slug }, view, sizes }: ExportLinksProps) {
  const filters = new URLSearchParams(filtersOf(view))
  const hasSizes = filters.size === 0
  const read = useMemo(() => (hasSizes && !sizes ? readSizes(slug) : undefined), [slug, hasSizes])
  const known = useLater(read)
  const shown = withGeoParquet(sizes ?? known ?? [])
  const [status, say] = useState('')
  const download = async (name: string) => {
    say(fill(t.downloading, { name }))
    await save(name, filters).then(
      () => say(fill(t.downloaded, { name })),
      (error: unknown) => say(fill(t.notDownloaded, { name, reason: messageOf(error) })),
    )
  }
  return (
    <p class="exports">
      <span>{hasSizes ? t.downloadAll : t.downloadFiltered}</span>
      {readPageData().formats.map(({ name, title }) => (
        <button type="button" class="button" key={name} onClick={() => void download(`${slug}.${name}`)}>
          {title + sizeText(shown.find(({ format }) => format === name))}
        </button>
      ))}
      <span class="soft small" role="status">
        {status}
      </span>
    </p>
  )
}

/**
 * The gateway knows the size of GeoParquet only when it has written it. That of 17 to 85,253 places is within a fifth of this estimate, which
 * has one digit.
 */
function withGeoParquet(sizes: readonly ExportSize[]): readonly ExportSize[] {
  const csv = sizes.find(({ format }) => format === 'csv')
  if (!csv) return sizes
  return [...sizes, { format: 'parquet', bytes: Number((5_000 + 0.4 * csv.bytes).toPrecision(1)), isExact: false }]
}

async function readSizes(dataset: string): Promise<ExportSize[]> {
  const query = 'query Sizes($dataset: ID!) { dataset(id: $dataset) { exportSizes { format bytes isExact } } }'
  return (await runGraphQL<{ dataset: { exportSizes: ExportSize[] } }>(query, { dataset })).dataset.exportSizes
}

/** Reads an export and lets the browser save it. Throws an error when the server refuses it or cuts it off. */
async function save(name: string, filters: URLSearchParams): Promise<void> {
  const response = await request(`/exports/${encodeURIComponent(name)}${filters.size > 0 ? `?${filters}` : ''}`)
  const url = URL.createObjectURL(await response.blob())
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has the file by then. Before, it may still read the URL.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
