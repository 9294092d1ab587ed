/** JSON (RFC 8259). */
export const JSON_TYPE = 'application/json'
/** JSON Schema (https://json-schema.org/draft/2020-12). */
export const SCHEMA_TYPE = 'application/schema+json'
/** An OpenAPI 3.0 document (OGC 17-069r4, requirement /req/oas30/oas-definition-2). */
export const OPENAPI_TYPE = 'application/vnd.oai.openapi+json;version=3.0'
