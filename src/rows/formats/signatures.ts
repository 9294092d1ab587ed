import { readFileSync, statSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { quoteForShell } from '../../errors/quote-for-shell.ts'
import { isObject } from '../../json.ts'
import data from './other-formats.json' with { type: 'json' }
import type { SourceFile } from './source.ts'

/** Returns what a file is that is no text with rows, by its first bytes, and what to do with it; undefined for any other. */
export function findSignature(start: Uint8Array, name: string): string | undefined {
  const bytes = Buffer.from(start.subarray(0, LONGEST))
  const hex = bytes.toString('hex')
  const text = bytes
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart()
    .replace(/^\{\s+/, '{')
    .toLowerCase()
  if (/\.gz$/i.test(name) && hex.startsWith('1f8b'))
    return fillNames('is packed twice; unpack it once: gunzip -c {name} > once-{name}', name)
  if (bytes.toString('latin1', TAR_MAGIC, TAR_MAGIC + 5) === 'ustar')
    return fillNames('is an archive; unpack it: tar -xf {name}', name)
  const found = data.byStart.find((each) => (each.hex ? hex.startsWith(each.hex) : text.startsWith(each.text ?? '')))
  return found && fillNames(found.remedy, name)
}

/** The bytes that are looked at, and where `ustar` stands in a tar archive. */
const LONGEST = 512
const TAR_MAGIC = 257

const ADDRESS = /^https?:\/\//i

/** Says that a file is not there, and how to get it if its name is an address of the web. */
export function describeMissing(name: string): string {
  return ADDRESS.test(name)
    ? `is an address; download the file first: curl -fLO ${quoteForShell(name)}`
    : 'does not exist'
}

/** Returns how to get a file that can be read from one whose name is that of another format; undefined for an unknown one. */
export function findOtherWay(file: SourceFile): string | undefined {
  const { name } = file
  if (ADDRESS.test(name)) return describeMissing(name)
  if (/\.json(\.gz)?$/i.test(name)) return describeJson(file)
  const found = data.byEnding.find(({ endings }) => new RegExp(`\\.(${endings})$`, 'i').test(name))
  return found && fillNames(found.remedy, name, found.endings)
}

/** Fills in the name of a file, without the ending in `{base}`, and without .gz in `{plain}`. A name with a space is one word of a command. */
function fillNames(remedy: string, name: string, endings = '[^./]*(\\.gz)?'): string {
  const base = name.replace(new RegExp(`\\.(${endings})$`, 'i'), '')
  const plain = name.replace(/\.gz$/i, '')
  const names: Readonly<Record<string, string>> = { base, name, plain }
  return remedy.replace(/\S*\{(?:base|name|plain)\}\S*?(?=[\s;,]|$)/g, (word) =>
    quoteForShell(word.replace(/\{(\w+)\}/g, (_, member: string) => names[member] ?? '')),
  )
}

/** Larger files are not looked into. */
const MAX_JSON_BYTES = 100_000_000

/** Says what the JSON in a file is, and the command that makes a file of it that can be read. */
function describeJson({ name, path }: SourceFile): string {
  const base = name.replace(/\.json(\.gz)?$/i, '')
  const content = readJson(path)
  const type = isObject(content) && typeof content.type === 'string' ? content.type : ''
  const [from, to] = [name, name.replace(/\.json/i, '.geojson')].map(quoteForShell)
  if (/^Feature(Collection)?$/.test(type)) return `is GeoJSON; give it that name: mv ${from} ${to}`
  if (type === 'Topology')
    return `is TopoJSON; convert it with GDAL: ogr2ogr ${quoteForShell(`${base}.geojson`)} ${from}`
  const filter = findRows(content)
  if (filter === undefined) return 'is JSON, and has no list of objects; write a line for each object to a file .ndjson'
  return `is JSON; write a line for each object: ${linesOf(name, filter)}`
}

/** The command that writes each object of a JSON file to a line. @param filter is one of jq */
export function linesOf(name: string, filter: string): string {
  const [from, to] = [name, `${name.replace(/\.\w+(\.gz)?$/i, '')}-lines.ndjson`].map(quoteForShell)
  const jq = `jq -c ${quoteForShell(filter)}`
  return /\.gz$/i.test(name) ? `gunzip -c ${from} | ${jq} > ${to}` : `${jq} ${from} > ${to}`
}

function readJson(path: string): unknown {
  try {
    if (statSync(path).size > MAX_JSON_BYTES) return undefined
    const bytes = readFileSync(path)
    const isPacked = bytes[0] === 0x1f
    return JSON.parse((isPacked ? gunzipSync(bytes, { maxOutputLength: MAX_JSON_BYTES }) : bytes).toString())
  } catch {
    // What can't be read is no list of objects. Its name alone says what it is.
    return undefined
  }
}

/** The filter of jq for the rows in JSON: a list, or the longest list of objects in it. Esri's features have attributes and a point. */
function findRows(content: unknown, path = '', depth = 3): string | undefined {
  if (Array.isArray(content)) return content.every(isObject) ? describeList(content, path) : undefined
  if (!isObject(content) || depth === 0) return undefined
  const lists = Object.entries(content).flatMap(([member, value]) => {
    const step = /^[A-Za-z_]\w*$/.test(member) ? `.${member}` : `[${JSON.stringify(member)}]`
    const filter = findRows(value, path + step, depth - 1)
    return filter === undefined ? [] : { filter, length: Array.isArray(value) ? value.length : 1 }
  })
  return lists.sort((one, other) => other.length - one.length)[0]?.filter
}

function describeList([first]: readonly unknown[], path: string): string {
  const isEsri = isObject(first) && isObject(first.attributes) && isObject(first.geometry)
  const rest = isEsri ? ' | .attributes + {longitude: .geometry.x, latitude: .geometry.y}' : ''
  return `${path.startsWith('.') ? '' : '.'}${path}[]${rest}`
}
