import { type ChangeFeed, FeedState } from '../../src/database/change-feed.ts'

/** A feed that never listens. Caches with this feed store nothing. */
export const silentChangeFeed: ChangeFeed = {
  latest: () => undefined,
  isUnchanged: () => false,
  announced: async () => {},
  position: () => undefined,
  onEvent: () => {},
  connections: () => 0,
  close: async () => {},
}

/**
 * A change feed whose notifications a test sends. It never misses one.
 * @param announced sends those of what a read can have seen by now
 */
export function createFeed(announced: ChangeFeed['announced'] = async () => {}): {
  feed: ChangeFeed
  notify: (payload: string) => void
} {
  const state = new FeedState()
  state.apply({ kind: 'complete', untilMs: Number.MAX_SAFE_INTEGER, untilDateMs: Number.MAX_SAFE_INTEGER })
  return {
    feed: {
      ...silentChangeFeed,
      announced,
      latest: () => state.latest(),
      isUnchanged: (topics, since) => state.isUnchanged(topics, since),
    },
    notify: (payload) => state.apply({ kind: 'changed', payload }),
  }
}
