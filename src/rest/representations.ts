import type { Catalog } from '../catalog/catalog.ts'
import type { Envelope } from './envelope.ts'
import { GEOJSON } from './geojson.ts'
import { compileOperation } from './operation.ts'
import type { RestRoute } from './routes.ts'

/** What is answered, as text, and what is said of it. */
export interface Represented {
  body: string
  meta: Envelope['meta']
}

/** A form that a route's answer comes in. */
export interface Representation {
  mediaType: string
  contentType: string
  answer: (catalog: Catalog, variables: Record<string, unknown>) => Promise<Represented>
}

/**
 * The forms of a route's answer; the first for those who do not mind.
 * @param writesPages is whether PostgreSQL writes what it can (graphql/written.ts).
 */
export function representationsOf(route: RestRoute, writesPages: boolean): [Representation, ...Representation[]] {
  const { features } = route
  return [
    represent('application/json', 'application/json; charset=utf-8', route, writesPages, route.envelope),
    // Features are made of the items' members, so those are not written.
    ...(features ? [represent(GEOJSON, GEOJSON, route, false, features)] : []),
  ]
}

function represent<Body extends { meta: Envelope['meta'] }>(
  mediaType: string,
  contentType: string,
  route: RestRoute,
  writesPages: boolean,
  toBody: (resource: unknown) => Body,
): Representation {
  const run = compileOperation(route, writesPages)
  return {
    mediaType,
    contentType,
    answer: async (catalog, variables) => {
      const { found, print } = await run(catalog, variables)
      const body = toBody(found)
      return { body: print(body), meta: body.meta }
    },
  }
}
