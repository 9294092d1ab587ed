import DataLoader from 'dataloader'

/** Loads records by key: one statement for all that are asked for together, and null for a key without a record. */
export function recordLoader<Key, Row>(
  find: (keys: Key[]) => Promise<Row[]>,
  keyOf: (row: Row) => Key,
): DataLoader<Key, Row | null> {
  return new DataLoader(async (keys) => {
    const rows = new Map((await find([...keys])).map((row) => [keyOf(row), row]))
    return keys.map((key) => rows.get(key) ?? null)
  })
}

/** Loads the lists that belong to keys: one statement for all that are asked for together. */
export function listLoader<Key, Row>(
  find: (keys: Key[]) => Promise<Row[]>,
  keyOf: (row: Row) => Key,
): DataLoader<Key, Row[]> {
  return new DataLoader(async (keys) => {
    const rows = Map.groupBy(await find([...keys]), keyOf)
    return keys.map((key) => rows.get(key) ?? [])
  })
}

/**
 * Loads what depends on arguments besides its key: one statement for each different set of arguments, however many keys,
 * so that a field under aliases costs a statement an alias and not one a row.
 */
export class ArgumentsLoader<Arguments, Key, Value> {
  readonly #find: (args: Arguments, keys: readonly Key[]) => Promise<Value[]>
  readonly #loaders = new Map<string, DataLoader<Key, Value, string>>()

  /** @param find gives a value for each key, in their order. */
  constructor(find: (args: Arguments, keys: readonly Key[]) => Promise<Value[]>) {
    this.#find = find
  }

  load(args: Arguments, key: Key): Promise<Value> {
    const name = JSON.stringify(args)
    let loader = this.#loaders.get(name)
    if (!loader) {
      loader = new DataLoader((keys) => this.#find(args, keys), { cacheKeyFn: (key) => JSON.stringify(key) })
      this.#loaders.set(name, loader)
    }
    return loader.load(key)
  }
}
