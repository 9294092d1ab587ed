import { operationFailed } from '../errors/errors.ts'

/*
 * The first migration, the baseline, makes what 22 migrations made before 1.0, to the byte of a schema dump. So a database that has all of
 * them counts as having it: its record replaces theirs. A database with only some of them lacks changes that this code does not have.
 */

/** The name of the first migration. */
export const BASELINE = '20261125000000_catalog'

/** The number and the last name of these migrations, and the last commit that has them. */
const REPLACED = { count: 22, last: '20261125000000_key_origins', commit: 'c660a1f2' }

/**
 * Returns the names of applied migrations that the baseline replaces.
 * @throws `OPERATION_FAILED` if a database has only some of the migrations that the baseline replaces
 */
export function findReplaced(names: readonly string[]): readonly string[] {
  const replaced = names.filter((name) => name <= REPLACED.last && name !== BASELINE)
  if (replaced.length > 0 && (replaced.length < REPLACED.count || !replaced.includes(REPLACED.last))) {
    const found = `The database has ${replaced.length} of the ${REPLACED.count} migrations from before 1.0`
    throw operationFailed(`${found}; apply the others with the commit ${REPLACED.commit} first`)
  }
  return replaced
}
