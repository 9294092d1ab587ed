import { runGraphQL } from '../shared/api.ts'
import { language } from '../shared/language.ts'

/*
 * The datasets that the key may access, their places in lists, and their codes: categories and administrative areas.
 */

export interface Dataset {
  id: string
  slug: string
  name: string
  description: string | null
  status: string
  visibility: string
  accessTier: string | null
  attribution: string
  items: { total: number }
  /** The box of its places; none without places. */
  extent: Extent | null
}

/** The fields of a dataset in the list. */
export const DATASET_FIELDS = 'id slug name description status visibility accessTier attribution'

/** The dataset that an address names by its slug or by its UUID, in any letter case as in the API. */
export function findDataset(datasets: readonly Dataset[], { dataset }: { dataset?: string | undefined }) {
  return datasets.find(({ slug, id }) => slug === dataset || id === dataset?.toLowerCase())
}

export interface Extent {
  west: number
  south: number
  east: number
  north: number
}

/** An item in a list. */
export interface ListedItem {
  id: string
  datasetId: string
  name: string
  categoryCode: string
  administrativeAreaCode: string
  latitude: string
  longitude: string
  thumbnailUrl: string | null
  /** Metres from the searched point, in nearby results. */
  distance?: number
}

/** The fields of an item in a list. */
export const LISTED = 'id datasetId name categoryCode administrativeAreaCode latitude longitude thumbnailUrl'

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
    const read = readCodes(dataset, this.#stopped.signal).finally(() => this.#reads.delete(dataset))
    this.#reads.set(dataset, read)
    read.then(
      () => this.#known.set(dataset, read),
      () => this.#known.delete(dataset),
    )
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
