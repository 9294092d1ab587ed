import { attributeColumn, EXPORT_FIELDS } from './columns.ts'
import { encodeParquet } from './parquet.ts'
import { type Attributes, arrayLines, csvLines, FEATURE_LINES, type Lines, OBJECT_LINES } from './sql/export-lines.ts'

/*
 * The formats of an exported dataset. The routes, OpenAPI, the sizes in GraphQL, the `catalog` command and the explorer follow from
 * this table.
 */

/** Parts of a file. */
export type ExportPart = string | Uint8Array

/** A format of exports. */
export interface ExportFormat {
  /** The ending of the file. */
  name: string
  /** Its name for people. */
  title: string
  contentType: string
  /** Its operation in OpenAPI: the name, the texts, and the schema of the body. */
  operation: { operationId: string; summary: string; description: string; body: Readonly<Record<string, unknown>> }
  /** Whether extra attributes may have a column each. */
  hasColumns: boolean
  /** What PostgreSQL writes of each item. */
  linesOf: (attributes: Attributes) => Lines
  /** What is between two lines of a batch. */
  separator: string
  /** What a text has around its lines. A binary file has none: it is compressed, and its size is known only when it is written. */
  frame?: Frame
  /** Makes the file of the batches of lines. Each batch has its lines joined with the separator. */
  encode: (batches: AsyncIterable<string>, attributes: Attributes) => AsyncIterable<ExportPart>
}

interface Frame {
  start: (attributes: Attributes) => string
  /** What ends the last line, if there is one. */
  lineEnd: string
  end: string
}

/** A format whose file is its lines. */
function textFormat(separator: string, { start = () => '', lineEnd = separator, end = '' }: Partial<Frame> = {}) {
  return {
    separator,
    frame: { start, lineEnd, end },
    encode: async function* (batches: AsyncIterable<string>, attributes?: Attributes): AsyncGenerator<string> {
      let before = start(attributes)
      let hasLines = false
      for await (const lines of batches) {
        yield before + lines
        before = separator
        hasLines = true
      }
      yield (hasLines ? lineEnd : before) + end
    },
  }
}

/** One JSON object per line (https://github.com/ndjson/ndjson-spec). The media type is common, but not registered. */
export const NDJSON = {
  name: 'ndjson',
  title: 'NDJSON',
  contentType: 'application/x-ndjson; charset=utf-8',
  operation: {
    operationId: 'exportNdjson',
    summary: 'A dataset as lines of JSON',
    description: 'The items of a dataset by id, one JSON object on each line.',
    body: { type: 'string' },
  },
  hasColumns: false,
  linesOf: () => OBJECT_LINES,
  ...textFormat('\n'),
} satisfies ExportFormat

/** All formats. */
export const EXPORT_FORMATS: readonly ExportFormat[] = [
  NDJSON,
  {
    name: 'csv',
    title: 'CSV',
    contentType: 'text/csv; charset=utf-8; header=present',
    operation: {
      operationId: 'exportCsv',
      summary: 'A dataset as CSV',
      description: 'The items of a dataset by id, one row each, with a header (RFC 4180).',
      body: { type: 'string' },
    },
    hasColumns: true,
    linesOf: csvLines,
    ...textFormat('\r\n', { start: csvHeader }),
  },
  {
    name: 'geojson',
    title: 'GeoJSON',
    contentType: 'application/geo+json',
    operation: {
      operationId: 'exportGeoJson',
      summary: 'A dataset as GeoJSON',
      description: 'The items of a dataset by id, as a FeatureCollection of points (RFC 7946).',
      body: {
        type: 'object',
        required: ['type', 'features'],
        properties: {
          type: { type: 'string', const: 'FeatureCollection' },
          features: { type: 'array', items: { $ref: '#/components/schemas/Feature' } },
        },
        additionalProperties: false,
      },
    },
    hasColumns: false,
    linesOf: () => FEATURE_LINES,
    ...textFormat(',\n', {
      start: () => '{"type":"FeatureCollection","features":[\n',
      lineEnd: '\n',
      end: ']}\n',
    }),
  },
  {
    name: 'parquet',
    title: 'GeoParquet',
    // Registered at https://www.iana.org/assignments/media-types/application/vnd.apache.parquet.
    contentType: 'application/vnd.apache.parquet',
    operation: {
      operationId: 'exportParquet',
      summary: 'A dataset as GeoParquet',
      description: 'The items of a dataset by id, as GeoParquet 1.1: a column for each member, and their points.',
      body: {},
    },
    hasColumns: true,
    linesOf: arrayLines,
    separator: ',',
    encode: encodeParquet,
  },
]

/** The media type of a content type, without its parameters. */
export function mediaTypeOf(contentType: string): string {
  return contentType.replace(/;.*/, '')
}

/** The first line of CSV. */
function csvHeader(attributes: Attributes): string {
  const cells = EXPORT_FIELDS.flatMap((field) =>
    field === 'extraAttributes' && attributes ? attributes.map((name) => quoted(attributeColumn(name))) : field,
  )
  return `${cells.join()}\r\n`
}

/** RFC 4180 section 2.5. */
function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
