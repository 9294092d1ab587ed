import { basename } from 'node:path'
import { operationFailed } from '../../errors/errors.ts'
import { quoteForShell } from '../../errors/quote-for-shell.ts'
import { isObject } from '../../json.ts'
import type { Problem } from '../problem.ts'
import { findReferenceSystem } from '../reference-system.ts'
import { countLines } from './read-text.ts'
import {
  adviseEntry,
  type Fields,
  type FieldsRow,
  hasText,
  MAX_ROW_LENGTH,
  parseJsonRow,
  type SourceFile,
  type SourceRow,
} from './source.ts'

/**
 * Yields the features of a GeoJSON FeatureCollection (RFC 7946), or of a GeoJSON text sequence (RFC 8142), as rows. The properties become
 * the fields. The geometry, one point, becomes `latitude` and `longitude`. The id of the feature becomes `externalId` if the properties
 * have no value for `externalId` or `id`. Memory holds one feature and not the file.
 *
 * For 100,000 features (54 MB), this code and JSON.parse take 1.2 s. @streamparser/json takes 3.1 to 3.9 s, and stops at the
 * first feature that is not JSON.
 * @throws `OPERATION_FAILED` if the text is neither, ends early or goes on after its end, or has a feature that is too long or no object
 */
export async function* readGeoJson(text: AsyncIterable<string>, file: SourceFile): AsyncGenerator<SourceRow> {
  const splitter = new FeatureSplitter()
  let number = 0
  const failed = (line: number, message: string) => operationFailed(`${file.name}:${line}: ${message}`)
  for await (const chunk of text) {
    for (const feature of splitter.split(chunk)) {
      number += 1
      yield readFeature(feature, number, file)
    }
    const { problem, unfinished } = splitter
    if (problem) throw failed(problem.line, problem.message)
    if (unfinished && unfinished.json.length > MAX_ROW_LENGTH)
      throw failed(unfinished.line, `is longer than ${MAX_ROW_LENGTH} characters`)
  }
  if (splitter.lateCrs !== undefined) checkLateCrs(file, splitter.lateCrs)
  if (splitter.depth !== 0) throw failed(splitter.line, 'ends in the middle of the collection')
  if (splitter.lastLine === 0) throw notGeoJson(file.name)
  const part = splitter.members && describePart(splitter.members, number)
  if (part !== undefined) yield { line: 1, reason: part, warns: 'part' }
}

function readFeature(feature: FeatureText, number: number, file: SourceFile): FieldsRow | Problem {
  const { line, isListed, sharesLine, byte } = feature
  const json = parseJsonRow(line, feature.json)
  if ('fields' in json && !isListed && json.fields.type !== 'Feature') throw notGeoJson(`${file.name}:${line}`)
  const row = 'fields' in json ? toRow(line, json.fields, file) : json
  const place = sharesLine ? `feature ${number}, at byte ${byte}` : undefined
  if ('reason' in row) return place === undefined ? row : { ...row, value: [row.value ?? [], place].flat().join(', ') }
  const crs = 'fields' in json && !isListed ? nameOfCrs(json.fields) : feature.crs
  return { ...row, ...(place !== undefined && { placeOf: () => place }), ...(crs !== undefined && { crs }) }
}

/** Says of which larger collection a file has only a part, as services answer with a page. Undefined if it says nothing of that. */
function describePart(members: Fields, count: number): string | undefined {
  const { numberMatched, totalFeatures, exceededTransferLimit, properties, links } = members
  const total = [numberMatched, totalFeatures].find((each) => typeof each === 'number' && each > count)
  const isExceeded = [exceededTransferLimit, Object(properties).exceededTransferLimit].includes(true)
  const hasNext = Array.isArray(links) && links.some((link) => isObject(link) && link.rel === 'next')
  if (total === undefined && !isExceeded && !hasNext) return undefined
  const of = total === undefined ? 'and says that there are more' : `of ${total}`
  return `is a part of a collection: it has ${count} features ${of}; get the other pages too`
}

function toRow(line: number, { id, geometry, properties }: Fields, file: SourceFile): FieldsRow | Problem {
  const point = pointOf(geometry)
  if (!point) return { line, reason: describeGeometry(geometry, file) }
  const fields: Fields = { ...(typeof properties === 'object' ? properties : {}) }
  const [longitude, latitude] = point
  if (!hasText(fields.id) && !hasText(fields.externalId) && hasText(id)) fields.externalId = id
  return { line, fields: Object.assign(fields, { latitude, longitude }) }
}

/** The position of a geometry that is one point: a Point, or a MultiPoint or GeometryCollection of one. */
function pointOf(geometry: unknown): readonly unknown[] | undefined {
  if (!isObject(geometry)) return undefined
  const { type, coordinates, geometries } = geometry
  if (type === 'GeometryCollection') return isListOfOne(geometries) ? pointOf(geometries[0]) : undefined
  const position: unknown = type === 'MultiPoint' && isListOfOne(coordinates) ? coordinates[0] : coordinates
  const isPoint = type === 'Point' || position !== coordinates
  return isPoint && Array.isArray(position) && position.length >= 2 ? position : undefined
}

const isListOfOne = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.length === 1

/** The other types of RFC 7946. A message shows no other text of the file. */
const TYPES = /^((Multi)?(LineString|Polygon)|MultiPoint|GeometryCollection)$/

/** What is wrong with a geometry that is not one point, and what to do. */
function describeGeometry(geometry: unknown, file: SourceFile): string {
  const kind = 'geometry must be a Point'
  if (geometry === null || geometry === undefined) {
    return `${kind}, and is null; give the feature a place, or leave it out with --skip-invalid`
  }
  const type = isObject(geometry) && typeof geometry.type === 'string' ? geometry.type : ''
  return TYPES.test(type) ? `${kind}, and is a ${type}; ${toPoints(file)}` : kind
}

/** How to make points of other geometries. A layer has the name of its file, unless the file says another one. */
function toPoints({ name }: SourceFile): string {
  const unpacked = name.replace(/\.gz$/i, '')
  const layer = basename(unpacked).replace(/\.[^.]*$/, '')
  const words = ['-dialect', 'sqlite', '-sql', `SELECT ST_Centroid(geometry), * FROM "${layer}"`]
  const command = ['ogr2ogr', ...words, `points-of-${layer}.geojson`, unpacked].map(quoteForShell).join(' ')
  return `make points of it: ${unpacked === name ? '' : `gunzip -k ${quoteForShell(name)}; `}${command}`
}

/** The JSON text of one feature, and where it starts. */
interface FeatureText {
  line: number
  json: string
  /** Whether it is in the list of a collection. */
  isListed: boolean
  /** Whether the text before the feature ends on its line, so that the line does not find the feature. */
  sharesLine: boolean
  /** The bytes of the text in UTF-8 before the feature. */
  byte: number
  /** The name of the reference system in the member `crs` before the features. */
  crs: string | undefined
}

/** An error about a file without features. */
function notGeoJson(place: string): Error {
  return operationFailed(`${place}: is not a GeoJSON FeatureCollection, and has no Features one after another`)
}

/** @throws `OPERATION_FAILED` if a reference system after the features is not the one of the manifest */
function checkLateCrs(file: SourceFile, name: string): void {
  const crs = findReferenceSystem(name)?.code ?? name
  const given = findReferenceSystem(file.dialect.crs ?? 'EPSG:4326')?.code
  if (given === crs) return
  throw operationFailed(`${file.name}: its crs stands after its features, too late; ${adviseEntry(file, { crs })}`)
}

/** It comes before each text of a sequence (RFC 8142). */
const RECORD_SEPARATOR = '\x1e'

/** Tracks only strings and brackets. It does not check whether a feature is valid JSON. */
class FeatureSplitter {
  line = 1
  depth = 0
  /** The line on which the list of features starts, or the last feature ends that is in no list. */
  lastLine = 0
  /** What has started and not ended: a feature, or a text that is one or a collection. */
  unfinished: FeatureText | undefined
  /** The name of the reference system, if it comes after the features. */
  lateCrs: string | undefined
  /** The members of the collection beside its features. */
  members: Fields | undefined
  /** The first text in a place where it is not allowed. */
  problem: { line: number; message: string } | undefined
  /** The bytes of the text in UTF-8 before the place to which lines are counted too. */
  #bytes = 0
  /** The collection, without its features. */
  #collection: FeatureText | undefined
  #crs: string | undefined
  #inFeatures = false
  /** The last string at the top level of the collection. Before a value, it is the name of the member. */
  #name = ''
  /** Where the string of the previous chunk goes on, if it has not ended: at 1 if its last character escapes the first one. */
  #inString: number | undefined

  /** What is wrong with a character beside the collection or between features. */
  #problemWith(character: string): string | undefined {
    if (this.depth === 2) return /[\s,{}[\]]/.test(character) ? undefined : 'features must be objects'
    const isStart = !this.#collection && (character === '{' || character === RECORD_SEPARATOR)
    return isStart || /\s/.test(character) ? undefined : 'must be one FeatureCollection'
  }

  /** Yields the features that end in a chunk of the text. */
  *split(chunk: string): Generator<FeatureText> {
    let start = 0
    let counted = 0
    const countTo = (at: number) => {
      const text = chunk.slice(counted, at)
      this.line += countLines(text)
      this.#bytes += Buffer.byteLength(text)
      counted = at
    }
    for (
      let at = this.#inString === undefined ? 0 : this.#readString(chunk, this.#inString);
      at < chunk.length;
      at += 1
    ) {
      const character = chunk.charAt(at)
      const isBetween = this.depth === (this.#inFeatures ? 2 : 0)
      const message = isBetween ? this.#problemWith(character) : undefined
      if (message) this.problem ??= { line: this.line + countLines(chunk.slice(counted, at)), message }
      if (character === '"') {
        this.#name = ''
        at = this.#readString(chunk, at + 1) - 1
      } else if (character === '{' || character === '[') {
        const isList = this.depth === 1 && character === '[' && this.#name === 'features'
        if (isBetween || isList) countTo(at)
        if (isList) this.#startList(chunk.slice(start, at + 1))
        if (isBetween) this.#startText()
        if (isBetween) start = at
        this.depth += 1
      } else if (character === '}' || character === ']') {
        this.depth -= 1
        if (this.depth === 1 && this.#inFeatures) {
          this.#inFeatures = false
          this.unfinished = this.#collection
          start = at
        }
        if (this.unfinished && this.depth === (this.#inFeatures ? 2 : 0)) {
          if (this.depth === 0) countTo(at)
          const ended = this.#endText(chunk.slice(start, at + 1))
          if (ended) yield ended
        }
      }
    }
    countTo(chunk.length)
    if (this.unfinished) this.unfinished.json += chunk.slice(start)
  }

  #startText(): void {
    const { line } = this
    const sharesLine = line === this.lastLine
    this.unfinished = { line, json: '', isListed: this.#inFeatures, sharesLine, byte: this.#bytes, crs: this.#crs }
  }

  /** @param rest is the end of the text that starts the list */
  #startList(rest: string): void {
    const { unfinished } = this
    if (!unfinished) return
    if (this.lastLine > 0) this.problem ??= { line: this.line, message: 'must be one FeatureCollection' }
    this.#collection = { ...unfinished, json: unfinished.json + rest }
    this.unfinished = undefined
    this.#crs = crsOf(`${this.#collection.json}]}`)
    this.#inFeatures = true
    this.lastLine = this.line
  }

  /** Returns the feature that ends with a text; undefined if a collection ends. */
  #endText(rest: string): FeatureText | undefined {
    const { unfinished } = this
    this.unfinished = undefined
    if (this.depth === 0) this.lastLine = this.line
    if (unfinished) unfinished.json += rest
    if (!unfinished || this.depth > 0 || !this.#collection) return unfinished
    const row = parseJsonRow(0, unfinished.json)
    if ('fields' in row) this.members = row.fields
    if (this.#crs === undefined) this.lateCrs = crsOf(unfinished.json)
    return undefined
  }

  /** Returns the index after the end of the string that contains `from`; the length of the chunk if the string does not end. */
  #readString(chunk: string, from: number): number {
    let at = from
    while (at < chunk.length && chunk[at] !== '"') at += chunk[at] === '\\' ? 2 : 1
    // A longer name is not `features`, and a string can be as long as the file.
    if (this.depth === 1) this.#name = (this.#name + chunk.slice(from, Math.min(at, from + 9))).slice(0, 9)
    this.#inString = at < chunk.length ? undefined : at - chunk.length
    return Math.min(at + 1, chunk.length)
  }
}

/** The name of the system of a collection; its text if that is not JSON, so that it is refused. */
function crsOf(json: string): string | undefined {
  const row = parseJsonRow(0, json)
  if ('fields' in row) return nameOfCrs(row.fields)
  const start = json.indexOf('"crs"')
  return start === -1 ? undefined : json.slice(start)
}

/** Returns the name in the member `crs`, which GeoJSON had before RFC 7946; its JSON if it has none. */
function nameOfCrs({ crs }: Fields): string | undefined {
  if (crs === undefined || crs === null) return undefined
  const { name, code } = isObject(crs) && isObject(crs.properties) ? crs.properties : {}
  if (typeof name === 'string') return name
  return typeof code === 'number' ? `EPSG:${code}` : JSON.stringify(crs)
}
