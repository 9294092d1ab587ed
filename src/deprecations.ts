/** A part of the API that a later version may lack (docs/stability.md). */
interface Deprecation {
  /** The day of the release that deprecates it, such as `2027-01-31`. */
  since: string
  /** The first day on which a release may lack it. */
  sunset: string
  /** What to use instead, in one sentence. */
  instead: string
}

/** By the path of a route, such as `/v1/datasets/{datasetId}`, or by the coordinate in the GraphQL schema, such as `Item.thumbnailUrl`. */
export type Deprecations = Readonly<Record<string, Deprecation>>

/** All that is deprecated. The headers of routes, OpenAPI and the GraphQL schema follow from it. */
export const DEPRECATIONS: Deprecations = {}

/** The headers of a deprecated route (RFC 9745, RFC 8594). */
export function deprecationHeaders({ since, sunset }: Deprecation): Record<string, string> {
  return { deprecation: `@${Date.parse(since) / 1000}`, sunset: new Date(sunset).toUTCString() }
}

/** Why a part of the GraphQL schema is deprecated. */
export function deprecationReason({ sunset, instead }: Deprecation): string {
  return `${instead} A release after ${sunset} may lack it.`
}
