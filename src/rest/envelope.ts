/** The body of every success: what was asked for, and what is to be said of it. */
export interface Envelope {
  data: unknown
  meta: Record<string, unknown>
}

type Members = Record<string, unknown>
/** Makes the members that go out of those that were found. */
export type Shape = (members: Members) => Members

const asItIs: Shape = (members) => members

/** One record, with nothing to say of it. */
export function recordEnvelope(shape: Shape = asItIs): (resource: unknown) => Envelope {
  return (resource) => ({ data: shape(membersOf(resource)), meta: {} })
}

/** A list of records; what stands beside the list's nodes is its `meta`. */
export function listEnvelope(shape: Shape = asItIs): (resource: unknown) => Envelope {
  return (resource) => {
    const { nodes, ...meta } = membersOf(resource)
    // What PostgreSQL wrote is not to be looked into.
    if (typeof nodes === 'string') return { data: nodes, meta }
    if (!Array.isArray(nodes)) throw new TypeError('A list has no nodes')
    return { data: nodes.map((node) => shape(membersOf(node))), meta }
  }
}

/** REST writes in small letters what GraphQL's enums have in capitals. */
export const toDataset: Shape = (dataset) =>
  Object.fromEntries(
    Object.entries(dataset).map(([name, value]) =>
      name === 'status' || name === 'visibility' ? [name, String(value).toLowerCase()] : [name, value],
    ),
  )

/** The item's members, then the distance. */
export const toNearbyItem: Shape = ({ item, distance }) => ({ ...membersOf(item), distance })

/** The members of an object of a GraphQL result. */
export function membersOf(value: unknown): Members {
  if (typeof value !== 'object' || value === null) throw new TypeError('Not an object')
  return { ...value }
}
