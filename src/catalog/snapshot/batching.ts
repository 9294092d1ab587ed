import DataLoader from 'dataloader'

/**
 * Loads values that depend on a key and on arguments. Concurrent loads with equal arguments share a call of `find`. So a
 * GraphQL field with arguments takes one statement for each alias, not one for each parent record.
 */
export class ArgumentsLoader<Arguments, Key, Value> {
  readonly #find: (args: Arguments, keys: readonly Key[]) => Promise<Value[]>
  readonly #keyOf: (args: Arguments) => string
  readonly #loaders = new Map<string, DataLoader<Key, Value, string>>()

  /**
   * @param find returns a value for each key, in the order of the keys
   * @param keyOf returns a text that is equal for equal arguments
   */
  constructor(
    find: (args: Arguments, keys: readonly Key[]) => Promise<Value[]>,
    keyOf: (args: Arguments) => string = JSON.stringify,
  ) {
    this.#find = find
    this.#keyOf = keyOf
  }

  load(args: Arguments, key: Key): Promise<Value> {
    const argumentsKey = this.#keyOf(args)
    let loader = this.#loaders.get(argumentsKey)
    if (!loader) {
      loader = new DataLoader((keys) => this.#find(args, keys), { cacheKeyFn: (key) => JSON.stringify(key) })
      this.#loaders.set(argumentsKey, loader)
    }
    return loader.load(key)
  }
}
