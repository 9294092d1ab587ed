import type { MutantTable } from '../mutant.ts'

/** When the next import of the same files may read no row. */
export const IMPORTS: readonly MutantTable[] = [
  {
    file: 'src/import/load/load-staged.ts',
    tests: ['test/import/last-import.test.ts'],
    mutants: [
      { find: 'bad.length + ', replace: '' },
      { find: 'problems.count + ', replace: '' },
      { find: ' + problems.warnings', replace: '' },
    ],
  },
]
