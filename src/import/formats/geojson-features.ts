import { z } from 'zod'
import { operationFailed } from '../../errors.ts'
import { findReferenceSystem } from '../reference-system.ts'
import { adviseEntry, type SourceFile } from './dialect.ts'
import { countLines } from './read-text.ts'
import { MAX_ROW_LENGTH, parseJsonRow } from './source-row.ts'

/** The JSON text of one feature, and where it starts. */
interface FeatureText {
  line: number
  json: string
  /** Whether the line has the start of the list too, so that it does not find the feature. */
  sharesLine: boolean
  /** The bytes of the text in UTF-8 before the feature. */
  byte: number
  /** The name of the reference system in the member `crs` before the features. */
  crs: string | undefined
}

/**
 * Yields the texts of the features in a FeatureCollection, so that memory holds one feature and not the file.
 *
 * For 100,000 features (54 MB), this code and JSON.parse take 1.2 s. @streamparser/json takes 3.1 to 3.9 s, and stops at the
 * first feature that is not JSON.
 * @throws `OPERATION_FAILED` if the text has no list of features, ends early or goes on after its end, or has a feature that is too
 * long or no object
 */
export async function* splitFeatures(text: AsyncIterable<string>, file: SourceFile): AsyncGenerator<FeatureText> {
  const { name: fileName } = file
  const splitter = new FeatureSplitter()
  for await (const chunk of text) {
    yield* splitter.split(chunk)
    const { problem, unfinished } = splitter
    if (problem) throw operationFailed(`${fileName}:${problem.line}: ${problem.message}`)
    if (unfinished && unfinished.json.length > MAX_ROW_LENGTH) {
      throw operationFailed(`${fileName}:${unfinished.line}: is longer than ${MAX_ROW_LENGTH} characters`)
    }
  }
  if (splitter.lateCrs !== undefined) checkLateCrs(file, splitter.lateCrs)
  if (!splitter.foundFeatures) throw operationFailed(`${fileName}: is not a GeoJSON FeatureCollection`)
  if (splitter.depth !== 0) throw operationFailed(`${fileName}:${splitter.line}: ends in the middle of the collection`)
}

/** @throws `OPERATION_FAILED` if a reference system after the features is not the one of the manifest */
function checkLateCrs(file: SourceFile, name: string): void {
  const crs = findReferenceSystem(name)?.code ?? name
  const given = findReferenceSystem(file.dialect.crs ?? 'EPSG:4326')?.code
  if (given === crs) return
  throw operationFailed(`${file.name}: its crs stands after its features, too late; ${adviseEntry(file, { crs })}`)
}

/** Tracks only strings and brackets. It does not check whether a feature is valid JSON. */
class FeatureSplitter {
  line = 1
  depth = 0
  foundFeatures = false
  /** The feature that has started and not ended, or the member `crs` of the collection. */
  unfinished: FeatureText | undefined
  /** The name of the reference system, if it comes after the features. */
  lateCrs: string | undefined
  /** The first text in a place where it is not allowed. */
  problem: { line: number; message: string } | undefined
  /** The bytes of the text in UTF-8 before the place to which lines are counted too. */
  #bytes = 0
  #listLine = 0
  #crs: string | undefined
  #inFeatures = false
  #hasEnded = false
  /** The last string at the top level of the collection. Before a value, it is the name of the member. */
  #name = ''
  #inString = false
  /** 1 if the previous chunk ended with a backslash in a string, which escapes the first character of this chunk. */
  #skipped = 0

  #startsList(bracket: string): boolean {
    return this.depth === 1 && bracket === '[' && this.#name === 'features'
  }

  #startsText(bracket: string): boolean {
    return this.depth === 1 ? bracket === '{' && this.#name === 'crs' : this.depth === 2 && this.#inFeatures
  }

  /** What is wrong with a character beside the collection or between its features. */
  #problemWith(character: string): string | undefined {
    if (this.depth === 2) return /[\s,{}[\]]/.test(character) ? undefined : 'features must be objects'
    const isExpected = this.#hasEnded ? /\s/ : /[\s{]/
    return isExpected.test(character) ? undefined : 'must be one FeatureCollection'
  }

  /** Yields the features that end in a chunk of the text. */
  *split(chunk: string): Generator<FeatureText> {
    let start = 0
    let counted = 0
    for (let at = this.#inString ? this.#readString(chunk, this.#skipped) : 0; at < chunk.length; at += 1) {
      const character = chunk.charAt(at)
      if (this.depth === 0 || (this.depth === 2 && this.#inFeatures)) {
        const message = this.#problemWith(character)
        if (message) this.problem ??= { line: this.line + countLines(chunk.slice(counted, at)), message }
      }
      if (character === '"') {
        this.#name = ''
        at = this.#readString(chunk, at + 1) - 1
      } else if (character === '{' || character === '[') {
        const startsList = this.#startsList(character)
        if (startsList || this.#startsText(character)) {
          this.#count(chunk.slice(counted, at))
          counted = at
        }
        if (startsList) {
          this.#inFeatures = true
          this.foundFeatures = true
          this.#listLine = this.line
        } else if (this.#startsText(character)) {
          start = at
          const sharesLine = this.line === this.#listLine
          this.unfinished = { line: this.line, json: '', sharesLine, byte: this.#bytes, crs: this.#crs }
        }
        this.depth += 1
      } else if (character === '}' || character === ']') {
        this.depth -= 1
        if (this.depth === 0) this.#hasEnded = true
        if (this.depth === 1) this.#inFeatures = false
        if (this.unfinished && this.depth === (this.#inFeatures ? 2 : 1)) {
          const ended = { ...this.unfinished, json: this.unfinished.json + chunk.slice(start, at + 1) }
          this.unfinished = undefined
          if (this.#inFeatures) yield ended
          else this.#readCrs(ended.json)
        }
      }
    }
    this.#count(chunk.slice(counted))
    if (this.unfinished) this.unfinished.json += chunk.slice(start)
  }

  #count(text: string): void {
    this.line += countLines(text)
    this.#bytes += Buffer.byteLength(text)
  }

  #readCrs(json: string): void {
    const name = nameOfCrs(json)
    if (this.foundFeatures) this.lateCrs = name
    else this.#crs = name
  }

  /** Returns the index after the end of the string that contains `from`; the length of the chunk if the string does not end. */
  #readString(chunk: string, from: number): number {
    let at = from
    while (at < chunk.length && chunk[at] !== '"') at += chunk[at] === '\\' ? 2 : 1
    // A longer name is not `features`, and a string can be as long as the file.
    if (this.depth === 1) this.#name = (this.#name + chunk.slice(from, Math.min(at, from + 9))).slice(0, 9)
    this.#inString = at >= chunk.length
    this.#skipped = at - chunk.length
    return this.#inString ? chunk.length : at + 1
  }
}

const crsMember = z.object({ properties: z.object({ name: z.string().optional(), code: z.number().optional() }) })

/** Returns the name in the member `crs`, which GeoJSON had before RFC 7946. */
function nameOfCrs(json: string): string {
  const row = parseJsonRow(0, json)
  const { success, data } = crsMember.safeParse('fields' in row ? row.fields : undefined)
  const { name, code } = success ? data.properties : {}
  return name ?? (code === undefined ? json : `EPSG:${code}`)
}
