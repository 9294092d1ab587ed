import { GEOJSON } from '../rest/envelope.ts'

/** WGS 84 with longitude before latitude: the coordinate reference system of GeoJSON, and the only one here. */
export const CRS84 = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84'

/** JSON (RFC 8259). */
export const JSON_TYPE = 'application/json'
/** JSON Schema (https://json-schema.org/draft/2020-12). */
export const SCHEMA_TYPE = 'application/schema+json'
/** An OpenAPI 3.0 document (OGC 17-069r4, requirement /req/oas30/oas-definition-2). */
export const OPENAPI_TYPE = 'application/vnd.oai.openapi+json;version=3.0'

/** The media types by the value of the parameter `f` that asks for them. */
export const FORMS = {
  json: JSON_TYPE,
  geojson: GEOJSON,
  openapi: OPENAPI_TYPE,
  schema: SCHEMA_TYPE,
  html: 'text/html',
} as const
export type Form = keyof typeof FORMS

/** The forms of a resource; the first is the default. Each resource is JSON and a page. */
export type Forms = readonly [Exclude<Form, 'html'>, ...Form[]]
