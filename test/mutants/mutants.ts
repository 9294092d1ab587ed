import type { MutantTable } from './mutant.ts'
import { AUTH } from './tables/auth.ts'

/** All mutants. */
export const TABLES: readonly MutantTable[] = [...AUTH]
