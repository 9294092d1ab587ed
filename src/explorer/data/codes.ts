import { runGraphQL } from '../shared/api.ts'
import { language } from '../shared/language.ts'

/*
 * The codes of a dataset: its categories and administrative areas, with their labels and totals.
 */

/** A code, its label in the dataset, and the number of items that have it. */
export interface Facet {
  code: string
  label: string | null
  total: number
}

export interface Codes {
  categories: readonly Facet[]
  areas: readonly Facet[]
}

export const NO_CODES: Codes = { categories: [], areas: [] }

const HANGUL = /\p{Script=Hangul}/u

/** A dataset has one label for a code. Of one in two scripts, such as `Palace / 궁궐`, the page shows the part in its own. */
export function localized(facets: readonly Facet[]): Facet[] {
  return facets.map((facet) => {
    const parts = facet.label?.split(' / ') ?? []
    const [own, ...others] = parts.filter((part) => HANGUL.test(part) === (language === 'ko'))
    return own !== undefined && others.length === 0 && parts.length === 2 ? { ...facet, label: own } : facet
  })
}

async function readCodes(dataset: string, signal: AbortSignal): Promise<Codes> {
  const data = await runGraphQL<{ dataset: { categories: Facet[]; administrativeAreas: Facet[] } }>(
    `query Codes($dataset: ID!) {
  dataset(id: $dataset) {
    categories { code label total }
    administrativeAreas { code label total }
  }
}`,
    { dataset },
    signal,
  )
  return { categories: localized(data.dataset.categories), areas: localized(data.dataset.administrativeAreas) }
}

/** Returns the codes of a dataset by its UUID, for labels. */
export type CodesOf = (datasetId: string) => Promise<Codes>

/** The codes that a key has read. A list does not wait for them: its labels come when they are known. */
export class KnownCodes {
  readonly #known = new Map<string, Promise<Codes>>()
  readonly #reads = new Map<string, Promise<Codes>>()
  readonly #stopped = new AbortController()

  /** Ends all reads: another key may not see these codes. */
  stop(): void {
    this.#stopped.abort()
  }

  /** Reads the codes of a dataset as they are now. The next view of a person who types waits for the same read. */
  read(dataset: string): Promise<Codes> {
    const running = this.#reads.get(dataset)
    if (running) return running
    const read = readCodes(dataset, this.#stopped.signal)
    this.#reads.set(dataset, read)
    if (!this.#known.has(dataset)) this.#known.set(dataset, read)
    read
      .then(
        () => this.#known.set(dataset, read),
        () => this.#known.delete(dataset),
      )
      .finally(() => this.#reads.delete(dataset))
    return read
  }

  /** Returns the codes of a dataset as they were read last. */
  of(dataset: string): Promise<Codes> {
    return this.#known.get(dataset) ?? this.read(dataset)
  }
}

/** The label of a code, or the code. */
export function labelOf(code: string, facets: readonly Facet[]): string {
  return facets.find((facet) => facet.code === code)?.label ?? code
}
