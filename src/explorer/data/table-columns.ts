import { t } from '../shared/text.ts'

/*
 * The columns of the table, and how it is sorted. Names of fields are those of GraphQL.
 */

export interface Column {
  field: string
  label: string
  /** The name of the API's sort order by this column. */
  sort?: Sort
}

/** The fields of a place that each row has: for its link, for the labels of its codes, and for the map. */
export const ROW_FIELDS = ['id', 'datasetId', 'latitude', 'longitude'] as const

/** A place with the fields of the columns. */
export type Row = Readonly<Record<string, string | readonly string[] | null>> &
  Readonly<Record<(typeof ROW_FIELDS)[number], string>> & {
    /** Metres from the searched point. */
    distance?: number
  }

const SORTS = ['name', 'createdAt', 'updatedAt'] as const
type Sort = (typeof SORTS)[number]

export const COLUMNS: readonly Column[] = [
  { field: 'name', label: t.name, sort: 'name' },
  { field: 'categoryCode', label: t.category },
  { field: 'administrativeAreaCode', label: t.area },
  { field: 'keywords', label: t.keywords },
  { field: 'streetAddress', label: t.address },
  { field: 'roadAddress', label: t.roadAddress },
  { field: 'addressLocality', label: t.locality },
  { field: 'postalCode', label: t.postalCode },
  { field: 'openingHours', label: t.openingHours },
  { field: 'telephone', label: t.telephone },
  { field: 'email', label: t.email },
  { field: 'url', label: t.website },
  { field: 'latitude', label: t.latitude },
  { field: 'longitude', label: t.longitude },
  { field: 'externalId', label: t.externalId },
  { field: 'createdAt', label: t.created, sort: 'createdAt' },
  { field: 'updatedAt', label: t.changed, sort: 'updatedAt' },
]
const DEFAULT_FIELDS = ['name', 'categoryCode', 'administrativeAreaCode', 'updatedAt']

/** What the table shows. */
export interface Table {
  /** Fields of the columns, in the order of `COLUMNS`. The name is always among them. */
  fields: readonly string[]
  sort: Sort
  isDescending: boolean
  /** From 1 on. */
  page: number
}

export const DEFAULT_TABLE: Table = { fields: DEFAULT_FIELDS, sort: 'name', isDescending: false, page: 1 }
/** The same table from its first page. */
export function firstPage(table: Table | undefined): Table | undefined {
  return table && { ...table, page: 1 }
}

/** The greatest page of the API. */
const MAX_PAGE = 2_147_483_647

/** Reads the table from an address, undefined if it shows no table. Invalid parts get their defaults. */
export function parseTable(params: URLSearchParams): Table | undefined {
  if (params.get('view') !== 'table') return undefined
  const chosen = params.get('columns')?.split(',')
  const page = Number(params.get('page'))
  return {
    fields: chosen ? COLUMNS.map(({ field }) => field).filter((field) => isShown(field, chosen)) : DEFAULT_FIELDS,
    sort: SORTS.find((sort) => sort === params.get('sort')) ?? DEFAULT_TABLE.sort,
    isDescending: params.get('order') === 'desc',
    page: Number.isInteger(page) && page >= 1 && page <= MAX_PAGE ? page : 1,
  }
}

function isShown(field: string, chosen: readonly string[]): boolean {
  return field === 'name' || chosen.includes(field)
}

/** Writes the table into an address. */
export function writeTable({ fields, sort, isDescending, page }: Table, params: URLSearchParams): void {
  params.set('view', 'table')
  if (fields.join() !== DEFAULT_FIELDS.join()) params.set('columns', fields.join())
  if (sort !== DEFAULT_TABLE.sort) params.set('sort', sort)
  if (isDescending) params.set('order', 'desc')
  if (page > 1) params.set('page', String(page))
}

/** The name of a sort order in GraphQL: `updatedAt` is `UPDATED_AT`. */
export function enumOf(sort: Sort): string {
  return sort.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
}
