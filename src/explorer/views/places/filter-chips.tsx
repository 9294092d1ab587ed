import { refined, type View } from '../../data/address.ts'
import { distance, t } from '../../shared/text.ts'
import { CodeLabel, usePage, ViewLink } from '../context.tsx'

/** The filters of the view, below its title. Each is a link to the view without it. */
export function FilterChips() {
  const { view } = usePage()
  const { dataset = '', category, area, near } = view
  const chips = [
    {
      filter: 'category',
      name: t.category,
      value: category && <CodeLabel of="categories" code={category} dataset={dataset} />,
    },
    { filter: 'area', name: t.area, value: area && <CodeLabel of="areas" code={area} dataset={dataset} /> },
    { filter: 'near', name: t.nearby, value: near && placeOf(near) },
  ].filter(({ value }) => value !== undefined)
  if (chips.length === 0) return null
  return (
    <ul class="chips" aria-label={t.filters}>
      {chips.map(({ filter, name, value }) => (
        <li key={filter}>
          <ViewLink to={refined(view, { [filter]: undefined })} title={t.removeFilter}>
            <span class="visually-hidden">{t.removeFilter} </span>
            {name}: <bdi>{value}</bdi>
            <span aria-hidden="true"> ×</span>
          </ViewLink>
        </li>
      ))}
    </ul>
  )
}

/** For example `1 km, 37.5800, 126.9800`. */
function placeOf({ latitude, longitude, radius }: NonNullable<View['near']>): string {
  return `${distance(radius)}, ${latitude.toFixed(4)}, ${longitude.toFixed(4)}`
}
