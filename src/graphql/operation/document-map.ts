import { LRUCache } from 'lru-cache'

/** Clients choose the documents, so their number and total length are limited. A prepared one takes 110 to 220 bytes a character. */
const MAX_DOCUMENTS = 1_000
const MAX_CHARACTERS = 500_000

/**
 * A bounded map for clients' documents. When it is full, it drops the least recently used one.
 * @param lengthOf returns the number of characters of an entry.
 */
export function createDocumentMap<Value extends {}>(
  lengthOf: (value: Value, key: string) => number,
): LRUCache<string, Value> {
  const sizeCalculation = (value: Value, key: string) => lengthOf(value, key) + 1
  return new LRUCache({ max: MAX_DOCUMENTS, maxSize: MAX_CHARACTERS, sizeCalculation })
}
