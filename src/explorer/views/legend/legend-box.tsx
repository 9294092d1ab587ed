import { render } from 'preact'
import type { ListedItem } from '../../data/datasets.ts'
import { type Colours, coloursNow } from '../../map/colours.ts'
import { byId } from '../../shared/element.ts'
import { fill, number, t } from '../../shared/text.ts'
import { ViewLink } from '../context.tsx'
import type { Entry, Legend } from './legend.ts'

/** A dataset may have thousands of categories. */
const MAX_REST = 100

/** Shows the legend on the map, if there is more than one colour. Its names are links to the places, if `isLinked`. */
export function showLegend(legend: Legend, colour: Colours, isLinked = true): void {
  byId('legend', HTMLDetailsElement).hidden = legend.entries.length < 2 && legend.only === undefined
  render(<Entries legend={legend} colour={colour} isLinked={isLinked} />, byId('legend-entries', HTMLUListElement))
}

interface EntriesProps {
  legend: Legend
  colour: Colours
  isLinked: boolean
}

function Entries({ legend: { entries, rest, only, isWhole }, colour, isLinked }: EntriesProps) {
  const line = (entry: Entry, shown: string) => {
    const isChosen = entry.value === only
    return (
      <li key={entry.value} class={only === undefined || isChosen ? '' : 'left-out'}>
        <Swatch colour={shown} />
        {isLinked ? (
          <ViewLink to={entry.view} aria-current={isChosen ? 'true' : undefined}>
            {entry.name}
          </ViewLink>
        ) : (
          <bdi>{entry.name}</bdi>
        )}
        {isWhole && <span class="soft">{number(entry.total)}</span>}
      </li>
    )
  }
  const isRest = rest.some(({ value }) => value === only)
  const sum = rest.reduce((total, each) => total + each.total, 0)
  return (
    <>
      {entries.map((each, n) => line(each, colour.values[n] ?? colour.others))}
      {rest.length > 0 && (
        <li class={`others${only === undefined || isRest ? '' : ' left-out'}`}>
          <details open={isRest}>
            <summary>
              <Swatch colour={colour.others} />
              <span>{t.others}</span>
              {isWhole && <span class="soft">{number(sum)}</span>}
            </summary>
            <ul>
              {rest.slice(0, MAX_REST).map((each) => line(each, colour.others))}
              {rest.length > MAX_REST && (
                <li class="soft">
                  <span />
                  {fill(t.andMore, { rest: rest.length - MAX_REST })}
                </li>
              )}
            </ul>
          </details>
        </li>
      )}
    </>
  )
}

/** The colour of a place, for the list; undefined if all places have the same. */
export function swatchOf({ property, entries }: Legend, place: Pick<ListedItem, Legend['property']>) {
  if (entries.length < 2) return undefined
  const { values, others } = coloursNow()
  return values[entries.findIndex(({ value }) => value === place[property])] ?? others
}

/** A dot in a colour of the map. */
export function Swatch({ colour }: { colour: string }) {
  return <span class="swatch" style={{ background: colour }} />
}
