// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are source code
import type { MutantTable } from '../mutant.ts'

const NEARBY = ['test/catalog/nearby-edges.test.ts']

/** The SQL of lists, searches and totals. */
export const SQL: readonly MutantTable[] = [
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
    file: 'src/catalog/filters.ts',
    tests: ['test/catalog/filters.test.ts'],
    mutants: [
      {
        find: "administrativeAreaCode: codeFilter('administrativeAreaCode', 'area'),\n  categoryCode: codeFilter('categoryCode', 'category'),",
        replace:
          "categoryCode: codeFilter('categoryCode', 'category'),\n  administrativeAreaCode: codeFilter('administrativeAreaCode', 'area'),",
        tests: ['test/catalog/totals.test.ts'],
      },
      {
        find: 'givenFilters(values).map(([filter, value]) => FILTERS',
        replace: 'givenFilters(values).slice(0, 1).map(([filter, value]) => FILTERS',
      },
      {
        find: "postalCode: textFilter('postalCode')",
        replace: "postalCode: codeFilter('postalCode', 'postal')",
        tests: ['test/catalog/totals.test.ts'],
      },
      { find: 'text.length <= 100\n', replace: 'text.length <= 1000\n' },
      { find: 'AND length(${column}) <= 100', replace: 'AND length(${column}) < 100' },
      { find: ' AND length(${column}) <= 100`', replace: '`', tests: ['test/catalog/plans.isolated.test.ts'] },
    ],
  },
  {
    file: 'src/catalog/sql/item-list.ts',
    tests: ['test/rest/contract.test.ts', 'test/graphql/connection.test.ts', 'test/catalog/totals.test.ts'],
    mutants: [
      { find: 'i.parent_item_id IS NULL', replace: 'i.parent_item_id IS NOT NULL' },
      { find: 'i.parent_item_id = owner.parent_item_id', replace: 'i.parent_item_id IS NOT NULL' },
      { find: 'i.dataset_id = owner.dataset_id`]', replace: 'true`]' },
      {
        find: 'conditions.push(whereFilters(selection))',
        replace: "if (selection.among !== 'roots') conditions.push(whereFilters(selection))",
      },
      {
        find: "if (before) conditions.push(whereBeyond(order, 'before'",
        replace: "if (before && !after) conditions.push(whereBeyond(order, 'before'",
      },
      {
        find: "whereBeyond(order, 'after', constant(after))",
        replace: "whereAtOrBeyond(order, 'after', constant(after))",
      },
      {
        find: "whereBeyond(order, 'before', constant(before))",
        replace: "whereAtOrBeyond(order, 'before', constant(before))",
      },
      { find: "(order === 'asc') === (side === 'after')", replace: "side === 'after'" },
      { find: 'Prisma.sql`>=` : Prisma.sql`<=`', replace: 'Prisma.sql`>` : Prisma.sql`<`' },
      {
        find: '(${column}, i.id) ${operator} (${value}::${sqlType}, ${id})',
        replace: '(${column}) ${operator} (${value}::${sqlType})',
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
      { find: 'a.place - b.place', replace: 'b.place - a.place', tests: ['test/catalog/sql-keys.test.ts'] },
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
      { find: 'CASE WHEN i.dataset_id = ANY (${[...scope]}::uuid[]) THEN', replace: 'CASE WHEN true THEN' },
      { find: 'JOIN images m ON m.item_id = i.id', replace: 'JOIN images m ON m.item_id <> i.dataset_id' },
    ],
  },
  {
    file: 'src/catalog/projection.ts',
    tests: ['test/catalog/columns.test.ts', 'test/catalog/sorts.test.ts', 'test/catalog/search-edges.test.ts'],
    mutants: [
      {
        find: 'json: (members) => selectItem(sql`i`, members, selectRawColumn)',
        replace: 'json: (members) => selectItem(sql`i`, members, selectColumn)',
        tests: ['test/rest/raw-json.test.ts'],
      },
    ],
  },
  {
    file: 'src/catalog/sql/statement-batcher.ts',
    tests: ['test/catalog/sql-keys.test.ts'],
    mutants: [
      { find: '`${scope.join()} ${projectionKey(projection)}`', replace: 'scope.join()' },
      { find: '`${scope.join()} ${projectionKey(projection)}`', replace: 'projectionKey(projection)' },
      {
        find: '${filtersIn(selection)} ${sort} ${order}',
        replace: '${filtersIn(selection)} ${order}',
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
    file: 'src/catalog/sql/search.ts',
    tests: ['test/catalog/search-edges.test.ts', 'test/catalog/search.test.ts'],
    mutants: [
      { find: '[...word].length > 2', replace: '[...word].length > 3' },
      { find: 'items: allItems(scope), words }', replace: 'items: allItems(scope), words: [] }' },
      {
        find: 'isRare ? Prisma.sql`${whereGrams(words)} AND ${where}` : where',
        replace: 'whereGrams(words)',
        tests: ['test/catalog/place-filters.test.ts'],
      },
      { find: 'i.folded_keywords) @>', replace: 'i.folded_keywords) &&' },
      { find: 'isPastEnd && givenFilters(window).length === 0', replace: 'isPastEnd' },
      {
        find: "total <= FEW_IN_BOX\n      ? 'cells'\n      : ",
        replace: '',
        equivalent: 'each way finds the same, and a small box reads a number that it does not need',
      },
      { find: ', ...codes })', replace: ' })', tests: ['test/catalog/plans.isolated.test.ts'] },
      {
        find: 'Prisma.sql`${allItems(scope)} AND ${NEVER_PREPARE} true`',
        replace: 'itemsInCells(cells, scope, window)',
        tests: ['test/catalog/plans.isolated.test.ts'],
      },
      { find: 'scope, window), window)', replace: 'scope), window)', tests: ['test/catalog/plans.isolated.test.ts'] },
      { find: "case 'names':", replace: "case 'names':\n    case 'codes':" },
      { find: '> 0 THEN 0', replace: '> 0 THEN 1' },
      { find: 'i.folded_name = ${phrase} OR', replace: '' },
      { find: '`\\n${phrase}\\n`', replace: '`${phrase}\\n`' },
      { find: '${phrase}) THEN 1', replace: '${phrase}) THEN 2' },
      { find: 'THEN 2 ELSE 3 END', replace: 'THEN 2 ELSE 2 END' },
      { find: "words.map(whereInName)], ' AND '", replace: "words.map(whereInName)], ' OR '" },
      { find: 'ORDER BY rank, name, id LIMIT', replace: 'ORDER BY name, id LIMIT' },
      { find: 'place.rank, place.name, place.id`', replace: 'place.name, place.id`' },
      { find: 'LIMIT ${offset + limit}::bigint', replace: 'LIMIT ${limit}::bigint' },
      { find: 'ORDER BY i.name, i.id LIMIT', replace: 'ORDER BY i.name DESC, i.id LIMIT' },
      { find: 'characters.length === 1 ? characters : characters.slice(1)', replace: 'characters.slice(1)' },
      { find: "words.join(' ')", replace: "words.join('')" },
      { find: 'words.flatMap(gramsOf)', replace: 'words.slice(1).flatMap(gramsOf)' },
    ],
  },
  {
    file: 'src/catalog/plan.ts',
    tests: ['test/catalog/plan.test.ts'],
    mutants: [
      { find: "isAlone && isOnMap(circle) ? 'grid'", replace: "isOnMap(circle) ? 'grid'" },
      { find: "isAlone && isOnMap(circle) ? 'grid'", replace: "isAlone ? 'grid'" },
      { find: 'size <= Math.max(FEW_IN_BOX, total / 10)', replace: 'size < Math.max(FEW_IN_BOX, total / 10)' },
      { find: 'Math.max(FEW_IN_BOX, total / 10)', replace: 'FEW_IN_BOX' },
      { find: 'Math.max(FEW_IN_BOX, total / 10)', replace: 'total / 10' },
      { find: '!isFiltered && ', replace: '' },
      { find: '/ total < total', replace: '< total' },
      { find: ' || total === size', replace: '' },
      { find: 'points > size * LARGE_SHARE &&', replace: 'points >= size * LARGE_SHARE &&' },
    ],
  },
  {
    file: 'src/catalog/sql/where.ts',
    tests: ['test/catalog/search-edges.test.ts', 'test/catalog/search.test.ts'],
    mutants: [
      { find: ' OR strpos(i.folded_keywords, ${word}) > 0', replace: '' },
      { find: 'strpos(i.folded_name, ${word}) > 0', replace: 'strpos(i.folded_name, ${word}) > 1' },
      { find: '${circle.radius}::float8)', replace: '${circle.radius}::float8, false)', tests: NEARBY },
      { find: 'i.longitude >= ', replace: 'i.longitude > ' },
      { find: 'i.longitude <= ', replace: 'i.longitude < ' },
      { find: 'i.latitude >= ', replace: 'i.latitude > ' },
      { find: 'i.latitude <= ', replace: 'i.latitude < ' },
      { find: '(${isEast} OR ${isWest})', replace: '(${isEast} AND ${isWest})' },
      { find: '${String(value)}::text::numeric', replace: '${value}::float4::numeric' },
    ],
  },
  {
    file: 'src/catalog/sql/export-sizes.ts',
    tests: ['test/graphql/export-sizes.test.ts'],
    mutants: [
      { find: 'FROM items WHERE dataset_id = owner.dataset_id', replace: 'FROM items' },
      { find: 'WHERE stored.dataset_id = owner.dataset_id AND', replace: 'WHERE' },
      { find: '((bytes[n] ?? 0) * total) / count', replace: '(bytes[n] ?? 0)' },
      { find: 'count === total', replace: 'count <= total' },
      { find: "(count > 0 ? frame.lineEnd : '')", replace: 'frame.lineEnd' },
      { find: 'Math.max(0, count - 1)', replace: 'count' },
    ],
  },
  {
    file: 'src/catalog/parquet.ts',
    tests: ['test/server/parquet.test.ts'],
    mutants: [
      { find: 'writer.index = 0', replace: '' },
      {
        find: 'pointOf(Number(item[longitude]), Number(item[latitude]))',
        replace: 'pointOf(Number(item[latitude]), Number(item[longitude]))',
      },
      { find: 'file.num_rows -= BigInt(items.length * (columns.length - 1))', replace: '' },
      { find: "isRequired ? 'REQUIRED' : 'OPTIONAL'", replace: "'REQUIRED'" },
      { find: 'isAdjustedToUTC: true', replace: 'isAdjustedToUTC: false' },
      { find: 'items.length < GROUP_ITEMS && ', replace: '' },
      { find: 'if (file.row_groups.length === 0) setTypeOfRowGroups(end)', replace: '' },
      { find: ' && characters < GROUP_CHARACTERS', replace: '' },
      {
        find: '      await setImmediate()\n',
        replace: '',
        equivalent: 'only other requests wait longer, and no test asserts a time',
      },
    ],
  },
  {
    file: 'src/catalog/sql/suggest.ts',
    tests: ['test/graphql/suggest.test.ts'],
    mutants: [{ find: 'SELECT place.rank, place.id', replace: 'SELECT -place.rank AS rank, place.id' }],
  },
  {
    file: 'src/catalog/hangul.ts',
    tests: ['test/catalog/suggest.test.ts'],
    mutants: [
      { find: 'phrase.replaceAll(LONE_PAIR, (pair) => PAIRS.get(pair) ?? pair)', replace: 'phrase' },
      { find: 'begun = previous === undefined || ', replace: 'begun = true || ' },
      { find: '[...longer, kept + keys.slice(-1)]', replace: 'longer' },
      { find: '[...longer, kept', replace: '[kept' },
      { find: '[...(LONGER_VOWELS[letter] ??', replace: '[...([][0] ??' },
      { find: '!isVowel(next)', replace: 'next === undefined' },
      { find: "text.replace(/[$()*+.?[\\\\\\]^{|}]/, '\\\\$&')", replace: 'text' },
    ],
  },
  {
    file: 'src/database/objects.ts',
    tests: ['test/database/objects.test.ts'],
    mutants: [
      { find: '[...callers, ...madeBy(callers, objects)]', replace: 'callers' },
      {
        find: "columns.get(name) ?? name.replace(/^index (\\w+) of .*/, 'REINDEX INDEX $1')",
        replace: 'columns.get(name) ?? name',
      },
      {
        find: 'const stale = await findStale(session)',
        replace: 'const stale: { name: string; n: number; mend: string }[] = []',
      },
    ],
  },
  {
    file: 'src/server/error-reply.ts',
    tests: ['test/server/contact.test.ts'],
    mutants: [
      { find: "error.code !== 'UNAUTHORIZED' || ", replace: '' },
      { find: ' || !wantsHtml(request)', replace: '' },
    ],
  },
]
