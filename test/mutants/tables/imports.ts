// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are source code
import type { MutantTable } from '../mutant.ts'

/** Imports of the rows that were not in the last import. */
export const IMPORTS: readonly MutantTable[] = [
  {
    file: 'src/import/load/part-checks.ts',
    tests: ['test/import/imported-rows.test.ts'],
    mutants: [
      { find: 'WHERE gone.id = i.id)`', replace: 'WHERE gone.id <> i.id)`' },
      { find: 'WHERE id = $1 AND revision = $2) AS found', replace: 'WHERE id = $1 AND $2 IS NOT NULL) AS found' },
      { find: 'WHERE i.dataset_id = $1 AND ${whereImported(table)}`', replace: 'WHERE i.dataset_id = $1 AND false`' },
      { find: 'OR s.external_id IS DISTINCT FROM i.external_id', replace: '' },
      { find: 's.id IS NULL OR ', replace: '' },
      { find: '[standsTwice(table), losesParent(table)]', replace: '[standsTwice(table)]' },
    ],
  },
  {
    file: 'src/import/load/imported-rows.ts',
    tests: ['test/import/imported-rows.test.ts', 'test/import/last-import.test.ts'],
    mutants: [
      {
        find: 'AND r.revision = d.revision',
        replace: '',
        equivalent: 'no row of another revision is copied, and an import that knows none reads all rows',
      },
      { find: 'PARTITION BY place ORDER BY n', replace: 'ORDER BY n' },
      { find: 'OR nth > 1', replace: '' },
      { find: 'dialect, columns, isExact]', replace: 'dialect, isExact]' },
      { find: 'process.version, format, ', replace: 'process.version, ' },
      { find: 'JSON.stringify(crs) + ', replace: '' },
      { find: 'crs = null', replace: "crs = ''" },
      { find: 'WHERE gone.id = imported.id)', replace: 'WHERE gone.id <> imported.id)' },
      { find: '    throw new MustReadAll()\n', replace: '    throw new Error()\n' },
      { find: 'OR dataset_id NOT IN (SELECT id FROM datasets)', replace: '' },
    ],
  },
  {
    file: 'src/import/load/load-staged.ts',
    tests: ['test/import/imported-rows.test.ts', 'test/import/last-import.test.ts'],
    mutants: [
      { find: 'hasBadRows || problems.count > 0', replace: 'problems.count > 0' },
      { find: 'problems.warnings === 0', replace: 'true' },
      {
        find: '!load.keepMissing && problems.warnings',
        replace: 'problems.warnings',
        equivalent: 'rows that are not those of all items of the dataset are not used',
      },
    ],
  },
  {
    file: 'src/import/row-problems.ts',
    tests: ['test/import/imported-rows.test.ts'],
    mutants: [
      { find: '    if (!(error instanceof MustReadAll)) report()\n', replace: '    report()\n' },
      { find: '  report()\n  return result', replace: '  return result' },
    ],
  },
]
