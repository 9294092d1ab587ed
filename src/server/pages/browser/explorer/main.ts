import { startKeyField } from '../shared/key-field.ts'

/*
 * The explorer: the datasets that a key opens, on a map.
 */

startKeyField()
