import type { Random } from './random.ts'
import type { Catalog, State, World } from './world.ts'

/** A change: the next state, or undefined if the state does not allow it. */
export type Change = (random: Random, world: World, state: State, mark: string) => State | undefined

/** A state with another part of the catalog. */
export const withCatalog = (state: State, catalog: Partial<Catalog>): State => ({
  ...state,
  catalog: { ...state.catalog, ...catalog },
})

/** A list in which a record takes the place of the one with its id. */
export const replace = <Value extends { id: string }>(list: readonly Value[], value: Value): Value[] =>
  list.map((each) => (each.id === value.id ? value : each))

/** A list without the record with an id. */
export const without = <Value extends { id: string }>(list: readonly Value[], id: string): Value[] =>
  list.filter((each) => each.id !== id)
