import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { FILTERS } from '../filters.ts'

/** A code, its label in the dataset, and the number of items with it. */
export interface Facet {
  code: string
  label: string | null
  total: number
}

/** The item field that has the code. */
export type FacetField = 'administrativeAreaCode' | 'categoryCode'

interface Row {
  facets: string
}

/** The facets of each dataset, from the table `item_counts` (item-list.ts), in one statement. */
export async function fetchFacets(
  sql: SqlReader,
  field: FacetField,
  datasetIds: readonly string[],
): Promise<Facet[][]> {
  const prefix = `all ${FILTERS[field].countedAs} '`
  // The name of a list doubles the quotes in a code, and ends with a quote: "all area 'A' category 'C'" has single ones inside.
  const facets = Prisma.sql`
    SELECT replace(quoted.code, '''''', '''') AS code, counted.n AS total
      FROM item_counts counted
     CROSS JOIN LATERAL (
            SELECT substr(counted.list, length(${prefix}) + 1, length(counted.list) - length(${prefix}) - 1) AS code
          ) AS quoted
     WHERE counted.dataset_id = owner.dataset_id AND starts_with(counted.list, ${prefix})
       AND replace(quoted.code, '''''', '') NOT LIKE '%''%'`
  const rows = await sql.$queryRaw<Row[]>`
    SELECT array_to_json(ARRAY(
             SELECT facet FROM (
               SELECT counted.code, labelled.label, counted.total
                 FROM (${facets}) AS counted
                 LEFT JOIN code_labels AS labelled
                        ON labelled.dataset_id = owner.dataset_id AND labelled.field = ${field} AND labelled.code = counted.code
             ) AS facet ORDER BY total DESC, code COLLATE "C"
           ))::text AS facets
      FROM unnest(${[...datasetIds]}::uuid[]) WITH ORDINALITY AS owner (dataset_id, n) ORDER BY n`
  return rows.map((row) => JSON.parse(row.facets))
}
