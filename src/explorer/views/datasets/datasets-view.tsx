import { useState } from 'preact/hooks'
import type { Dataset } from '../../data/datasets.ts'
import { fillNumber, places, t } from '../../shared/text.ts'
import { ShareButton, usePage, ViewLink } from '../context.tsx'
import { DeveloperPanel } from '../developer/developer-panel.tsx'
import { ControlRow } from '../places/controls.tsx'
import { NearbyForm } from '../places/nearby-form.tsx'
import { SmallMap } from './small-map.tsx'

/** The list of datasets that the key may access. */
export function DatasetsView({ signal }: { signal: AbortSignal }) {
  const { datasets, open } = usePage()
  const [chosen, choose] = useState<readonly string[]>([])
  const total = datasets.reduce((sum, { items }) => sum + items.total, 0)
  return (
    <div class="view">
      <h1 tabIndex={-1}>{t.datasets}</h1>
      <p class="soft" role="status">
        {datasets.length === 0 ? t.noDatasets : fillNumber(t.datasetsTotal, datasets.length, { places: places(total) })}
      </p>
      {datasets.length > 0 && (
        <ControlRow controls={{ nearby: <NearbyForm /> }}>
          {datasets.length > 1 && (
            <button
              type="button"
              class="button"
              disabled={chosen.length < 2}
              title={t.compareHint}
              onClick={() => open({ compared: chosen })}
            >
              {t.compare}
            </button>
          )}
          <ShareButton />
        </ControlRow>
      )}
      <form onChange={({ currentTarget }) => choose(new FormData(currentTarget).getAll('dataset').map(String))}>
        <ul class="cards">
          {datasets.map((dataset) => (
            <Card key={dataset.id} dataset={dataset} signal={signal} />
          ))}
        </ul>
      </form>
      <DeveloperPanel view={{}} />
    </div>
  )
}

function Card({ dataset, signal }: { dataset: Dataset; signal: AbortSignal }) {
  const { slug, name, description, attribution, items, extent } = dataset
  return (
    <li class="card">
      <SmallMap dataset={slug} extent={extent} signal={signal} />
      <div>
        <h2>
          <ViewLink to={{ dataset: slug }}>{name}</ViewLink>
        </h2>
        <p class="summary" dir="auto">
          {description}
        </p>
        <p class="soft small credit-line" dir="auto" title={attribution}>
          {attribution}
        </p>
      </div>
      <p class="count">
        <strong>{places(items.total)}</strong>
      </p>
      <input type="checkbox" name="dataset" value={slug} aria-label={`${t.compare}: ${name}`} title={t.compare} />
    </li>
  )
}
