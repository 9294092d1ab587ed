import type { MutantTable } from './mutant.ts'
import { ARGUMENTS } from './tables/arguments.ts'
import { AUTH } from './tables/auth.ts'
import { CACHES } from './tables/caches.ts'

/** All mutants. */
export const TABLES: readonly MutantTable[] = [...ARGUMENTS, ...AUTH, ...CACHES]
