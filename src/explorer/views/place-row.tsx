import type { ListedItem } from '../data/datasets.ts'
import { useLater } from '../shared/later.ts'
import { distance } from '../shared/text.ts'
import { CodeLabel, usePage, ViewLink, Words } from './context.tsx'
import { Swatch, swatchOf } from './legend/legend-box.tsx'
import { Thumbnail } from './picture.tsx'

interface PlaceRowProps {
  item: ListedItem
  /** Whether the place stands below its text. Without, the place has the view for itself. */
  keepsText?: boolean
}

/** The row of a place in a list, with a link to it. */
export function PlaceRow({ item, keepsText = true }: PlaceRowProps) {
  const { view, legend } = usePage()
  const { id, datasetId, name, categoryCode, thumbnailUrl } = item
  const colours = useLater(legend)
  const colour = colours && swatchOf(colours, item)
  return (
    <li>
      <ViewLink to={{ ...view, ...(!keepsText && { text: undefined }), item: id, at: undefined }}>
        <Words text={name} />
      </ViewLink>
      <span class="soft small">
        {item.distance !== undefined && `${distance(item.distance)} · `}
        {colour && <Swatch colour={colour} />}
        <bdi title={categoryCode}>
          <CodeLabel of="categories" code={categoryCode} dataset={datasetId} />
        </bdi>
      </span>
      <Thumbnail address={thumbnailUrl} />
    </li>
  )
}
