import type { MutantTable } from './mutant.ts'
import { ACCESS } from './tables/access.ts'
import { CACHES } from './tables/caches.ts'
import { CHANGES } from './tables/changes.ts'
import { DATABASE } from './tables/database.ts'
import { GATEWAY } from './tables/gateway.ts'
import { SNAPSHOT } from './tables/snapshot.ts'
import { SQL } from './tables/sql.ts'

/** All mutants. */
export const TABLES: readonly MutantTable[] = [ACCESS, CACHES, CHANGES, DATABASE, GATEWAY, SNAPSHOT, SQL].flat()
