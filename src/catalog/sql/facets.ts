import type { SqlReader } from '../../database/sql-reader.ts'
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
  datasetId: string
  facets: string
}

/**
 * The facets of each dataset, from the table `item_counts` (item-list.ts), in one statement. No plan of it reads a table several times:
 * one range has the codes of all datasets, and a label is looked up by its primary key. For joins, PostgreSQL has read all labels again
 * for each code when it had no statistics of them.
 */
export async function fetchFacets(
  reader: SqlReader,
  field: FacetField,
  datasetIds: readonly string[],
): Promise<Facet[][]> {
  const kind = `all ${FILTERS[field].countedAs} `
  const prefix = `${kind}'`
  // The character after the quote. A range uses the index in every plan, and starts_with() only for a constant.
  const end = `${kind}(`
  // The name of a list doubles the quotes in a code, and ends with a quote: "all area 'A' category 'C'" has single ones inside.
  const rows = await reader.$queryRaw<Row[]>`
    SELECT dataset_id AS "datasetId", json_agg(json_build_object(
             'code', code, 'total', n,
             'label', (SELECT label FROM code_labels AS l WHERE (l.dataset_id, l.field, l.code) = (c.dataset_id, ${field}, name.code))
           ) ORDER BY n DESC, code COLLATE "C")::text AS facets
      FROM item_counts AS c
     CROSS JOIN LATERAL (SELECT substr(list, length(${prefix}) + 1, length(list) - length(${prefix}) - 1) AS text) AS quoted
     CROSS JOIN LATERAL (SELECT replace(quoted.text, '''''', '''') AS code) AS name
     WHERE dataset_id = ANY (${[...datasetIds]}::uuid[]) AND list >= ${prefix} AND list < ${end}
       AND replace(quoted.text, '''''', '') NOT LIKE '%''%'
     GROUP BY dataset_id`
  const byId = new Map(rows.map(({ datasetId, facets }) => [datasetId, facets]))
  return datasetIds.map((id) => JSON.parse(byId.get(id) ?? '[]'))
}
