import type { MutantTable } from '../mutant.ts'

/** When the next import of the same files may read no row; and what is said of a file that may mean several things. */
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
  {
    file: 'src/import/formats/detect-encoding.ts',
    tests: ['test/import/encodings.test.ts'],
    mutants: [
      { find: 'alternatives.length === 0 ? {', replace: 'true ? {' },
      { find: 'utf8.length >= telling.length / 2', replace: 'utf8.length >= telling.length' },
    ],
  },
  {
    file: 'src/import/formats/mojibake.ts',
    tests: ['test/import/encodings.test.ts'],
    mutants: [
      { find: '!/\\p{L}/u.test(after) && CLOSING', replace: 'CLOSING' },
      { find: '!/\\p{Ll}/u.test(after) && /', replace: '/' },
    ],
  },
  {
    file: 'src/import/init/infer-decimal.ts',
    tests: ['test/import/coordinates.test.ts'],
    mutants: [
      { find: "sign === ',' ? areDegrees : !areSmall", replace: "sign === ','" },
      { find: ' && CERTAIN.test(text)', replace: '' },
    ],
  },
  {
    file: 'src/import/init/guess-crs.ts',
    tests: ['test/import/reference-systems.test.ts'],
    mutants: [
      { find: 'only && more.length === 0', replace: 'only' },
      { find: '...fitting(system, swapped, true)', replace: '' },
      { find: 'BROAD.has(system.code) ? 3 : 0', replace: '0' },
    ],
  },
  {
    file: 'src/import/init/evidence.ts',
    tests: ['test/import/reference-systems.test.ts'],
    mutants: [{ find: 'words.includes(wordsOf(name))', replace: 'words.includes(name.toLowerCase())' }],
  },
  {
    file: 'src/import/init/infer-axes.ts',
    tests: ['test/import/init.test.ts'],
    mutants: [
      { find: "country.name !== 'Antarctica' && ", replace: '' },
      { find: 'gain(2) > 0.5 || ', replace: '' },
      { find: '!isAbout && ', replace: '' },
    ],
  },
]
