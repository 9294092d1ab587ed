import type { ComponentChildren } from 'preact'
import { refined, type View } from '../../data/address.ts'
import { distance, t } from '../../shared/text.ts'
import { CodeLabel, usePage, ViewLink } from '../context.tsx'

/** The filters of the view, below its title. Each is a link to the view without it. */
export function FilterChips() {
  const { view } = usePage()
  const { dataset = '', category, area, near } = view
  if (category === undefined && area === undefined && near === undefined) return null
  return (
    <ul class="chips" aria-label={t.filters}>
      {category !== undefined && (
        <Chip name={t.category} without={refined(view, { category: undefined })}>
          <CodeLabel of="categories" code={category} dataset={dataset} />
        </Chip>
      )}
      {area !== undefined && (
        <Chip name={t.area} without={refined(view, { area: undefined })}>
          <CodeLabel of="areas" code={area} dataset={dataset} />
        </Chip>
      )}
      {near && (
        <Chip name={t.nearby} without={refined(view, { near: undefined })}>
          {placeOf(near)}
        </Chip>
      )}
    </ul>
  )
}

function Chip({ name, without, children }: { name: string; without: View; children: ComponentChildren }) {
  return (
    <li>
      <ViewLink to={without} title={t.removeFilter}>
        <span class="visually-hidden">{t.removeFilter} </span>
        {name}: <bdi>{children}</bdi>
        <span aria-hidden="true"> ×</span>
      </ViewLink>
    </li>
  )
}

/** For example `1 km, 37.5800, 126.9800`. */
function placeOf({ latitude, longitude, radius }: NonNullable<View['near']>): string {
  return `${distance(radius)}, ${latitude.toFixed(4)}, ${longitude.toFixed(4)}`
}
