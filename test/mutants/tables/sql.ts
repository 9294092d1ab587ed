// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are source code
import type { MutantTable } from '../mutant.ts'

const NAMES = ['test/server/hidden-content.test.ts']
const FILTERED = ['test/catalog/place-filters.test.ts']
const NEARBY = ['test/catalog/nearby.test.ts']

/** The SQL of lists, exports and totals, and of circles counted by the grid. */
export const SQL: readonly MutantTable[] = [
  {
    file: 'src/catalog/sql/frequent-text.ts',
    tests: ['test/catalog/search.test.ts'],
    mutants: [
      { find: 'AND NOT EXISTS (SELECT FROM edge', replace: 'AND EXISTS (SELECT FROM edge' },
      { find: '(edge.name, edge.id) < ', replace: '(edge.name, edge.id) < (NULL, NULL) AND (edge.name, edge.id) < ' },
      { find: 'return [...ranges, ...prefixes.map', replace: 'return [...prefixes.map' },
      { find: '<= ${most}', replace: '<= ${most + 1}' },
      {
        find: 'FROM found ORDER BY name, id LIMIT ${count})) END',
        replace: 'FROM found ORDER BY id LIMIT ${count})) END',
      },
      { find: 'if (!ids) return undefined', replace: 'if (!ids) continue' },
      {
        find: '${whereBegins(text)} AND NOT ${whereEqual(text)}`\n  const most',
        replace: '${whereBegins(text)}`\n  const most',
      },
    ],
  },
  {
    file: 'src/catalog/sql/item-list.ts',
    tests: ['test/catalog/totals.test.ts'],
    mutants: [
      { find: 'return filters.length === 0 ? ', replace: 'return filters.length >= 0 ? ' },
      { find: 'if (countedAs === undefined) return undefined', replace: 'if (countedAs === undefined) continue' },
      { find: 'value.replaceAll("\'", "\'\'")', replace: 'value' },
      { find: "'children of ' || owner.parent_item_id", replace: "'children of ' || owner.dataset_id" },
      { find: '), 0)`', replace: '), 1)`' },
      { find: ' ORDER BY owner.n`', replace: ' ORDER BY owner.n DESC`' },
      { find: 'stored.dataset_id = owner.dataset_id AND ', replace: '' },
    ],
  },
  {
    file: 'src/catalog/sql/item-list.ts',
    tests: ['test/rest/contract.test.ts', 'test/graphql/connection.test.ts', 'test/catalog/totals.test.ts'],
    mutants: [
      { find: 'i.parent_item_id IS NULL', replace: 'i.parent_item_id IS NOT NULL' },
      { find: 'i.parent_item_id = owner.parent_item_id', replace: 'i.parent_item_id IS NOT NULL' },
      { find: '[Prisma.sql`i.dataset_id = owner.dataset_id`', replace: '[Prisma.sql`true`' },
      {
        find: 'whereFilters(selection)]',
        replace: "...(selection.among === 'roots' ? [] : [whereFilters(selection)])]",
      },
      { find: ', before && whereBeyond', replace: ', !after && before && whereBeyond' },
      { find: "whereBeyond(window, 'after', after)", replace: "whereBeyond(window, 'after', after, true)" },
      { find: "whereBeyond(window, 'before', before)", replace: "whereBeyond(window, 'before', before, true)" },
      { find: "(order === 'asc') === (side === 'after')", replace: "side === 'after'" },
      { find: 'isOrThere ? Prisma.sql`=` : Prisma.empty', replace: 'Prisma.empty' },
      {
        find: '(${column}, i.id) ${operator}${orThere} (${value}::${sqlType}, ${id}::uuid)',
        replace: '(${column}) ${operator}${orThere} (${value}::${sqlType})',
      },
      { find: '${column} DESC, i.id DESC', replace: '${column} DESC, i.id' },
      { find: 'Prisma.sql`${column}, i.id` :', replace: 'Prisma.sql`${column}, i.id DESC` :' },
      { find: 'owner && owners.length === 1', replace: 'owner' },
    ],
  },
  {
    file: 'src/catalog/sql/items.ts',
    tests: ['test/graphql/query.test.ts', 'test/catalog/sorts.test.ts', 'test/catalog/sql-keys.test.ts'],
    mutants: [
      { find: 'offset, skip = offset,', replace: 'offset, skip = 0,', tests: ['test/catalog/sorts.test.ts'] },
      { find: "isForCursor ? ['datasetId', sort] : []", replace: '[]', tests: ['test/graphql/connection.test.ts'] },
      { find: ' IS NOT NULL AS found', replace: ' IS NULL AS found', tests: ['test/graphql/connection.test.ts'] },
      { find: 'owners)} ORDER BY n`', replace: 'owners)} ORDER BY n DESC`', tests: ['test/catalog/sql-keys.test.ts'] },
      {
        find: 'window.isCounted ? totalOf(window.selection)',
        replace: '!window.isCounted ? totalOf(window.selection)',
        tests: ['test/graphql/connection.test.ts'],
      },
      { find: 'if (offset === 0) {', replace: 'if (offset < 500) {', tests: ['test/catalog/sorts.test.ts'] },
    ],
  },
  {
    file: 'src/catalog/sql/by-id.ts',
    tests: ['test/catalog/sql-keys.test.ts'],
    mutants: [
      { find: 'ids.map((given) => byId.get(given) ?? null)', replace: 'rows' },
      { find: 'CASE WHEN i.dataset_id = ${anyOf(scope)} THEN', replace: 'CASE WHEN true THEN' },
      {
        find: 'ORDER BY m.sort_order, m.id',
        replace: 'ORDER BY m.sort_order, m.id DESC',
        tests: ['test/catalog/verified-reads.test.ts'],
      },
      { find: 'JOIN images m ON m.item_id = i.id', replace: 'JOIN images m ON m.item_id <> i.dataset_id' },
    ],
  },
  {
    file: 'src/catalog/sql/statement-batcher.ts',
    tests: ['test/catalog/sql-keys.test.ts'],
    mutants: [
      { find: '`${scope.join()} ${projectionKey(projection)}`', replace: 'scope.join()' },
      { find: '`${scope.join()} ${projectionKey(projection)}`', replace: 'projectionKey(projection)' },
      {
        find: '${namesOf(selection)} ${sort} ${order}',
        replace: '${namesOf(selection)} ${order}',
        equivalent: 'each part of a statement has its own SQL, so it only makes more statements to prepare',
      },
      { find: '!isCounted || hasStoredTotal(selection)', replace: 'true' },
      { find: 'filters === 1 && sort === DEFAULTS.sort', replace: 'filters === 1' },
      { find: 'filters === 1 && sort === DEFAULTS.sort', replace: 'sort === DEFAULTS.sort' },
      { find: 'return offset === 0 && hasIndex', replace: 'return hasIndex' },
      { find: 'const result = results[place]', replace: 'const result = results[0]' },
      { find: 'for (const { reject } of batch) reject(error)', replace: 'batch[0]?.reject(error)' },
    ],
  },
  {
    file: 'src/catalog/sql/letters.ts',
    tests: NAMES,
    mutants: [{ find: 'where: Prisma.sql`i.dataset_id = owner.dataset_id`', replace: 'where: Prisma.sql`true`' }],
  },
  {
    file: 'src/catalog/sql/suggest.ts',
    tests: NAMES,
    mutants: [
      {
        find: 'among(itemsOf(scope), Prisma.sql`${LETTER_GRAMS}',
        replace: 'among({ from: Prisma.sql`items i`, where: Prisma.sql`true` }, Prisma.sql`${LETTER_GRAMS}',
      },
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
        tests: ['test/server/exports.test.ts'],
      },
      {
        find: 'WHERE i.dataset_id = ${datasetId}::uuid AND ${whereFilters(filters)}',
        replace: 'WHERE ${whereFilters(filters)}',
        tests: ['test/server/exports.test.ts'],
      },
    ],
  },
  {
    file: 'src/catalog/sql/select.ts',
    tests: NEARBY,
    mutants: [
      { find: 'among(items, whereInCircle(circle))', replace: 'items' },
      { find: 'a.place - b.place', replace: 'b.place - a.place', tests: ['test/catalog/sql-keys.test.ts'] },
    ],
  },
  {
    file: 'src/catalog/sql/words.ts',
    tests: ['test/catalog/search-edges.test.ts'],
    mutants: [
      {
        find: 'const whereWords = whereSelected(selection, text?.words)',
        replace: 'const whereWords = whereSelected(selection)',
      },
    ],
  },
  {
    file: 'src/catalog/sql/tiles.ts',
    tests: ['test/catalog/tiles.test.ts'],
    mutants: [
      { find: 'spread_bits(y) << 1', replace: 'spread_bits(x) << 1' },
      { find: "counted === 'items' ? 'categories' : counted", replace: "'categories'" },
      { find: "shares === 'categoryCode' ? CATEGORY_ZOOMS : zoomsOf(counted)", replace: 'zoomsOf(counted)' },
    ],
  },
  {
    file: 'src/catalog/sql/tile-counts.ts',
    tests: ['test/catalog/tiles.test.ts'],
    mutants: [{ find: '[Prisma.sql`t.category_code = ${counted.categoryCode}`]', replace: '[]' }],
  },
  {
    file: 'src/catalog/sql/box.ts',
    tests: ['test/catalog/search-edges.test.ts'],
    mutants: [
      { find: 'itemsInCells(borderCells, scope, { categoryCode })', replace: 'itemsInCells(borderCells, scope)' },
      { find: ' && zoom !== zooms.at(-1)', replace: '' },
    ],
  },
  {
    file: 'src/catalog/sql/nearby-by-grid.ts',
    tests: NEARBY,
    mutants: [
      { find: 'itemsNearer >= count', replace: 'itemsNearer >= count - 1' },
      { find: 'itemsNearer >= count', replace: 'itemsNearer > count' },
      { find: 'itemsAtPivot >= count', replace: 'itemsAtPivot >= count - 1' },
      { find: 'itemsAtPivot >= count', replace: 'itemsAtPivot > count' },
      { find: 'count - itemsNearer - itemsAtPivot', replace: 'count - itemsNearer' },
      { find: 'offset + 1 - before', replace: 'offset + 2 - before' },
      { find: 'offset + 1 - before', replace: 'offset + 1' },
      { find: 'offset + limit - before', replace: 'offset + limit - before - 1' },
      { find: '?? radius', replace: '?? 0' },
      { find: 'if (tile.nearest > radius) continue', replace: 'if (tile.farthest > radius) continue' },
      {
        find: 'tile.farthest >= start && tile.nearest <= end',
        replace: 'tile.nearest >= start && tile.nearest <= end',
      },
      {
        find: 'tile.farthest >= start && tile.nearest <= end',
        replace: 'tile.farthest >= start && tile.farthest <= end',
      },
      { find: 'else if (tile.farthest > radius)', replace: 'else if (tile.nearest > radius)' },
      { find: 'state.inside += tile.n', replace: 'state.inside += 1' },
      {
        find: 'if (tile.farthest < start) state.before',
        replace: 'if (tile.nearest < start) state.before',
        equivalent: 'a tile that is no candidate is before the page or after it, with both of its bounds',
      },
      { find: 'state.before += tile.n', replace: 'state.before += 1' },
      { find: '[...state.boundary, ...state.candidates].filter(isLarge)', replace: 'state.candidates.filter(isLarge)' },
      {
        find: 'AND cell < (part."end"',
        replace: 'AND cell <= (part."end"',
        tests: ['test/catalog/nearby.test.ts'],
      },
      {
        find: 'AND cell >= (part.first',
        replace: 'AND cell > (part.first',
        tests: ['test/catalog/nearby.test.ts'],
      },
      { find: '(number + 1) << bits', replace: 'number << bits' },
      { find: 'scope[dataset - 1]', replace: 'scope[dataset]' },
      { find: 'offset: window.offset - before', replace: 'offset: window.offset' },
      { find: 'inside + row.total + row.boundary', replace: 'inside + row.total' },
      { find: 'inside + row.total + row.boundary', replace: 'row.total + row.boundary' },
      { find: 'after_last << ${cellBits}', replace: 'first << ${cellBits}' },
      { find: 'cell < range.after_last << ${bits}', replace: 'cell < range.first << ${bits}' },
      {
        find: 'among(itemsOfParts(partsOf(boundary, scope), window), whereInCircle(window.circle))',
        replace: 'itemsOfParts(partsOf(boundary, scope), window)',
      },
      { find: 'part.dataset_id), counted.n', replace: 'part.dataset_id) * 0 + 1, counted.n' },
    ],
  },
]
