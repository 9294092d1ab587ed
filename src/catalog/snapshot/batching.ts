import DataLoader from 'dataloader'

/** Loads records by key. Concurrent loads share a call of `find`. A key without a record gives null. */
export function recordLoader<Key, Row>(
  find: (keys: Key[]) => Promise<Row[]>,
  keyOf: (row: Row) => Key,
): DataLoader<Key, Row | null> {
  return new DataLoader(async (keys) => {
    const rows = new Map((await find([...keys])).map((row) => [keyOf(row), row]))
    return keys.map((key) => rows.get(key) ?? null)
  })
}

/** Loads the list of records for a key. Concurrent loads share a call of `find`. */
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
 * Loads values that depend on a key and on arguments. Concurrent loads with equal arguments share a call of `find`. So a
 * GraphQL field with arguments costs one statement for each alias, and not one for each row.
 */
export class ArgumentsLoader<Arguments, Key, Value> {
  readonly #find: (args: Arguments, keys: readonly Key[]) => Promise<Value[]>
  readonly #loaders = new Map<string, DataLoader<Key, Value, string>>()

  /** @param find returns a value for each key, in the order of the keys. */
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
