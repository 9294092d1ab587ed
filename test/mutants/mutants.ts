import type { MutantTable } from './mutant.ts'
import { ARGUMENTS } from './tables/arguments.ts'
import { AUTH } from './tables/auth.ts'
import { CACHES } from './tables/caches.ts'
import { DATABASE } from './tables/database.ts'
import { DOORS } from './tables/doors.ts'
import { FAIRNESS } from './tables/fairness.ts'
import { IMPORTS } from './tables/imports.ts'
import { PLACES } from './tables/places.ts'
import { SNAPSHOT } from './tables/snapshot.ts'
import { SQL } from './tables/sql.ts'

/** All mutants. */
export const TABLES: readonly MutantTable[] = [
  ARGUMENTS,
  AUTH,
  CACHES,
  DATABASE,
  DOORS,
  FAIRNESS,
  IMPORTS,
  PLACES,
  SNAPSHOT,
  SQL,
].flat()
