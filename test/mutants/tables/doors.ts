// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are source code
import type { MutantTable } from '../mutant.ts'

const NAMES = ['test/server/hidden-names.test.ts']
const FILTERED = ['test/catalog/place-filters.test.ts']
const SUGGESTIONS = ['test/catalog/suggest.test.ts']

/** Doors to many items at once: suggestions, searches, tiles, exports, extents; and the history and usage of datasets. */
export const DOORS: readonly MutantTable[] = [
  {
    file: 'src/catalog/sql/suggest.ts',
    tests: NAMES,
    mutants: [
      {
        find: 'SELECT i.id ${allItems(scope)} AND (${BEGINNING}',
        replace: 'SELECT i.id FROM items i WHERE (${BEGINNING}',
      },
      { find: 'WHERE i.dataset_id = owner.dataset_id AND ${BEGINNING} >=', replace: 'WHERE ${BEGINNING} >=' },
      { find: '`${allItems(scope)} AND (${whereOneOf', replace: '`FROM items i WHERE (${whereOneOf' },
      { find: 'AS is_all FROM first', replace: 'OR true AS is_all FROM first', tests: SUGGESTIONS },
      { find: '.slice(0, suggestion.limit)', replace: '', tests: SUGGESTIONS },
    ],
  },
  {
    file: 'src/catalog/sql/where.ts',
    tests: FILTERED,
    mutants: [
      { find: '[whereFilters(selection), ', replace: '[' },
      { find: ', ...words.map(whereWord)]', replace: ']', tests: ['test/catalog/search.test.ts'] },
      { find: 'if (within) conditions.push(whereInBox(within))', replace: '' },
      { find: 'if (circle) conditions.push(whereInCircle(circle))', replace: '' },
      { find: 'i.updated_at >= ', replace: 'i.updated_at > ', tests: ['test/ogc/paging.test.ts'] },
      { find: 'i.updated_at <= ', replace: 'i.updated_at < ', tests: ['test/ogc/paging.test.ts'] },
    ],
  },
  {
    file: 'src/catalog/sql/search.ts',
    tests: FILTERED,
    mutants: [
      {
        find: ' ${items} AND ${whereSelected(window, words)}\n    )\n    SELECT ${itemsOf',
        replace: ' ${items}\n    )\n    SELECT ${itemsOf',
      },
    ],
  },
  {
    file: 'src/catalog/sql/tiles.ts',
    tests: FILTERED,
    mutants: [
      { find: 'WHERE true ${andSelected(source)}', replace: 'WHERE true' },
      { find: 'cellRange(tile))} ${andSelected(source)}', replace: 'cellRange(tile))}' },
      {
        find: 'WHERE ${whereInTile(source)} GROUP BY 1, 2) AS part',
        replace: 'WHERE ${whereInTile({ ...source, where: undefined })} GROUP BY 1, 2) AS part',
      },
      {
        find: 'WHERE ${whereInTile(source)} GROUP BY 1, 2`',
        replace: 'WHERE ${whereInTile({ ...source, where: undefined })} GROUP BY 1, 2`',
        tests: ['test/catalog/tiles.test.ts'],
      },
      { find: 'WHERE rank <= ${MAX_SHARES}', replace: 'WHERE rank <= 1', tests: ['test/catalog/tiles.test.ts'] },
      { find: '${await whereFound(reader, selection)}', replace: 'true' },
      { find: 'zoom !== undefined && !where', replace: 'zoom !== undefined' },
      { find: 'WHERE n = 1 AND dataset_id', replace: 'WHERE dataset_id' },
      { find: 'items.length <= MAX_FEATURES', replace: 'items.length < 1' },
    ],
  },
  {
    file: 'src/catalog/sql/export.ts',
    tests: FILTERED,
    mutants: [
      { find: ' AND ${whereFilters(filters)}`\n', replace: '`\n' },
      {
        find: 'AND i.id > batch."lastId"::uuid',
        replace: 'AND i.id >= batch."lastId"::uuid',
        tests: ['test/server/exports.test.ts'],
      },
      { find: 'i.id > ${after}::uuid', replace: 'i.id >= ${after}::uuid' },
      {
        find: 'AND ${whereFilters(filters)} ORDER BY 1',
        replace: 'ORDER BY 1',
        tests: ['test/server/flat-exports.test.ts'],
      },
      {
        find: 'WHERE i.dataset_id = ${datasetId}::uuid AND ${whereFilters(filters)}',
        replace: 'WHERE ${whereFilters(filters)}',
        tests: ['test/server/flat-exports.test.ts'],
      },
    ],
  },
  {
    file: 'src/catalog/sql/extent.ts',
    tests: ['test/graphql/extent.test.ts'],
    mutants: [
      { find: 'WHERE t.dataset_id = owner.dataset_id AND', replace: 'WHERE' },
      { find: 'ON i.dataset_id = owner.dataset_id AND', replace: 'ON' },
      { find: 'west - east >= 180', replace: 'west - east >= 0' },
      { find: 'first === 180 ? (row.first_longitude_below_180 ?? 180) : first', replace: 'first' },
      { find: 'row.west_column_last_longitude === 180 ? 180 : row.last_longitude', replace: 'row.last_longitude' },
      { find: 'WITH TIES', replace: 'ONLY' },
      {
        find: '::float8 FROM items i WHERE i.dataset_id = owner.dataset_id',
        replace: '::float8 FROM items i WHERE true',
      },
    ],
  },
  {
    file: 'src/import/undo/changed-since.ts',
    tests: ['test/history/history.test.ts'],
    mutants: [
      { find: 'IS DISTINCT FROM a.hash', replace: 'IS NULL' },
      { find: ' AND i.dataset_id = $1\n      WHERE', replace: '\n      WHERE' },
      { find: '(current?.revision ?? null) === revision', replace: 'current !== undefined' },
    ],
  },
  {
    file: 'src/auth/usage-report.ts',
    tests: ['test/auth/key-usage.test.ts', 'test/server/usage.test.ts'],
    mutants: [
      { find: '(days - 1) * DAY_MS', replace: 'days * DAY_MS' },
      { find: '...(apiKeyId !== undefined && { apiKeyId }),', replace: '' },
      { find: '...(datasetId !== undefined && { datasetId }),', replace: '' },
      { find: 'requests: { gt: 0 },', replace: '' },
    ],
  },
  {
    file: 'src/fairness/fair-queue.ts',
    tests: ['test/fairness/fair-queue.test.ts'],
    mutants: [
      { find: 'running < Math.max(1, this.#places / 4)', replace: 'running < this.#places' },
      { find: '      for (const use of uses) use.end(startMs, nowMs)\n', replace: '' },
      { find: '        if (list.length === 0) this.#waiting.delete(name)\n'.trim(), replace: '' },
    ],
  },
]
