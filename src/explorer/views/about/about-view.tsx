import { type Dataset, type Extent, type Facet, type ListedItem, labelOf, localized } from '../../data/datasets.ts'
import { MemberList, TextLink } from '../../shared/members.tsx'
import { day, degrees, fill, number, percent, places, t } from '../../shared/text.ts'
import { BackLine, usePage, ViewLink, Words } from '../context.tsx'
import { DeveloperPanel } from '../developer/developer-panel.tsx'
import { ExportLinks } from '../places/export-links.tsx'
import { ViewChoice } from '../places/places-view.tsx'
import { jsonLd, LICENCES } from './json-ld.ts'
import type { About } from './request.ts'

/*
 * The page of a dataset: what it is, what is in it, where it lies, and how to get it.
 */

const MAX_BARS = 20

interface AboutProps {
  dataset: Dataset
  about: About
  /** Some of its places. */
  sample: readonly ListedItem[]
}

export function AboutView({ dataset, about, sample }: AboutProps) {
  const { view } = usePage()
  const { slug, visibility, accessTier, status } = dataset
  return (
    <article class="view about">
      <BackLine to={{ dataset: slug }} label={t.backToPlaces} />
      <h1 tabIndex={-1} dir="auto">
        {dataset.name}
      </h1>
      <p dir="auto">{dataset.description ?? ''}</p>
      <div class="control-row">
        <ViewChoice />
      </div>
      <Facts dataset={dataset} about={about} />
      <ExportLinks dataset={dataset} view={{}} sizes={about.exportSizes} />
      <Bars title={t.categories} facets={localized(about.categories)} dataset={dataset} filter="category" />
      <Bars title={t.areas} facets={localized(about.administrativeAreas)} dataset={dataset} filter="area" />
      <Sample dataset={dataset} about={about} sample={sample} />
      <DeveloperPanel view={view}>
        <MemberList
          members={[
            [t.access, [visibility, accessTier].filter((part) => part !== null).join(' · ')],
            [t.status, status],
          ]}
        />
      </DeveloperPanel>
      {/* A browser does not execute this script. */}
      <script type="application/ld+json">{jsonLd(dataset, about)}</script>
    </article>
  )
}

function Facts({ dataset, about }: Omit<AboutProps, 'sample'>) {
  const { license, termsUrl, contact, sourceUrl, extent } = about
  return (
    <MemberList
      members={[
        [t.placesLabel, number(dataset.items.total)],
        [t.credit, dataset.attribution],
        [t.licence, license && <TextLink text={license} base={LICENCES} />],
        [t.terms, termsUrl && <TextLink text={termsUrl} />],
        [t.publisher, about.publisher],
        [t.contact, contact && <TextLink text={contact} />],
        [t.source, sourceUrl && <TextLink text={sourceUrl} />],
        [t.sourceDate, about.sourceDate],
        [t.changes, about.updateFrequency],
        [t.firstLoaded, day(about.createdAt)],
        [t.lastChanged, day(about.updatedAt)],
        [t.extent, extent && extentText(extent)],
      ]}
    />
  )
}

/** For example `33.10–38.60° N, 125.00–131.90° E`. */
function extentText({ west, south, east, north }: Extent): string {
  const range = (from: number, to: number, [negative, positive]: readonly [string, string]) => {
    const [first, last] = [from < 0 ? negative : positive, to < 0 ? negative : positive]
    return first === last
      ? `${degrees(Math.min(Math.abs(from), Math.abs(to)))}–${degrees(Math.max(Math.abs(from), Math.abs(to)))}° ${last}`
      : `${degrees(from)}° ${first} – ${degrees(to)}° ${last}`
  }
  return `${range(south, north, [t.south, t.north])}, ${range(west, east, [t.west, t.east])}`
}

interface BarsProps {
  title: string
  facets: readonly Facet[]
  dataset: Dataset
  filter: 'category' | 'area'
}

/** The most frequent codes with their totals as bars, which are shares of all places. Each is a link to its places. */
function Bars({ title, facets, dataset: { slug, items }, filter }: BarsProps) {
  const all = Math.max(1, items.total)
  const rest = facets.length - MAX_BARS
  if (facets.length === 0) return null
  return (
    <section>
      <h2>{title}</h2>
      <ul class="bars">
        {facets.slice(0, MAX_BARS).map(({ code, label, total }) => (
          <li key={code}>
            <ViewLink to={{ dataset: slug, [filter]: code }} title={code}>
              <Words text={label ?? code} />
            </ViewLink>
            <meter min={0} max={all} value={total} aria-hidden="true" />
            <span class="soft">
              <span>{number(total)}</span> <span>{percent(total / all)}</span>
            </span>
          </li>
        ))}
      </ul>
      {rest > 0 && <p class="soft small">{fill(t.andMore, { rest })}</p>}
    </section>
  )
}

function Sample({ dataset: { slug, items }, about: { categories }, sample }: AboutProps) {
  if (sample.length === 0) return null
  return (
    <section>
      <h2>{t.somePlaces}</h2>
      <ul class="places">
        {sample.map(({ id, name, categoryCode }) => (
          <li key={id}>
            <ViewLink to={{ dataset: slug, item: id }}>{name}</ViewLink>
            <span class="soft small">
              <bdi>{labelOf(categoryCode, localized(categories))}</bdi>
            </span>
          </li>
        ))}
      </ul>
      {items.total > sample.length && (
        <p>
          <ViewLink to={{ dataset: slug }}>{fill(t.allPlaces, { places: places(items.total) })}</ViewLink>
        </p>
      )}
    </section>
  )
}
