import { type Change, replace } from './change.ts'
import type { Random } from './random.ts'
import { type Key, type State, TIERS } from './world.ts'

/** Grants or withdraws, or exchanges grants for others or for a tier, in one transaction. */
export const changeRights: Change = (random, world, state, mark) => {
  const revoked = state.keys.find(({ isRevoked }) => isRevoked)
  // Revoked keys see nothing, so they are valid again soon.
  if (revoked && random.chance(0.4)) return changeRevocation(random, world, state, mark)
  const key = pickKey(random, state)
  const ids = state.catalog.datasets.map(({ id }) => id)
  const missing = ids.filter((id) => !key.grants.includes(id))
  const added = missing.length > 0 ? [random.pick(missing)] : []
  const kept = random.shuffle(key.grants).slice(1)
  const kind = random.weighted({ grant: key.grants.length > 0 ? 1 : 4, withdraw: 1, exchange: 3, tier: 4 })
  const changed: Key = {
    grant: { ...key, grants: [...key.grants, ...added] },
    withdraw: { ...key, grants: kept },
    exchange: { ...key, grants: [...kept, ...added] },
    tier:
      key.tiers.length > 0 ? { ...key, tiers: [], grants: added } : { ...key, tiers: [random.pick(TIERS)], grants: [] },
  }[kind]
  return { ...state, keys: replace(state.keys, changed) }
}

/** Each key gets a grant for another dataset that is not public, or none: one transaction changes all keys. */
export const dealGrants: Change = (random, _, state) => {
  const closed = state.catalog.datasets.filter(({ visibility }) => visibility !== 'public').map(({ id }) => id)
  const grants = random.shuffle(state.keys.map((_, n) => closed.slice(n, n + 1)))
  return {
    ...state,
    keys: state.keys.map((key, n) => ({ ...key, tiers: [], grants: grants[n] ?? [], isRevoked: false })),
  }
}

/** The first key changes most often: two changes can fall into one request. */
function pickKey(random: Random, { keys: [first, ...others] }: State): Key {
  return first && (random.chance(0.5) || others.length === 0) ? first : random.pick(others)
}

/** Revokes a key, or makes a revoked one valid again. */
export const changeRevocation: Change = (random, _, state) => {
  const key = state.keys.find(({ isRevoked }) => isRevoked) ?? random.pick(state.keys)
  return { ...state, keys: replace(state.keys, { ...key, isRevoked: !key.isRevoked }) }
}
