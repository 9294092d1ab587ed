import { isUuid } from '../../catalog/arguments.ts'
import type { Fields } from '../formats/source-row.ts'
import type { Columns } from '../manifest.ts'
import { textOf } from '../row/column-mapping.ts'
import { ROW_FIELDS } from '../row/parse-item.ts'

/** Usual names of a field in data files, without letter case, spaces, `_` and `-`. An earlier pattern is a better guess. */
const NAMES: Readonly<Record<string, readonly RegExp[]>> = {
  latitude: [/^(lat|latitude|latitudedeg|위도|緯度|纬度)$/, /^(wgs84)?(y|ycoord|y좌표)$/],
  longitude: [/^(lon|lng|long|longitude|longitudedeg|경도|経度|经度)$/, /^(wgs84)?(x|xcoord|x좌표)$/],
  name: [
    /^(name|title|label|이름|명칭)$/,
    /^(시설|관광지|축제|업소|장소|문화재|공원|시장|도서관|사업장|상호)명$/,
    /^(?!.*기관).*명칭?$/,
  ],
  administrativeAreaCode: [
    /^(행정구역코드|행정동코드|법정동코드|시군구코드|지역코드)$/,
    /^(adminarea|region|isoregion|admin1|admin1code|state|province|제공기관코드)$/,
    /^(country|countrycode|isocountry)$/,
  ],
  categoryCode: [/^(category|categorycode|type|kind|class|featurecode)$/, /(구분|유형|분류|종류|업종)(명|코드)?$/],
  description: [/^(description|summary|abstract|about|설명)$/, /(소개|개요|내용)$/],
  streetAddress: [/^(address|streetaddress|street|addr|주소)$/, /도로명주소$/, /주소$/],
  roadAddress: [/도로명주소$/],
  jibunAddress: [/지번주소$/],
  postalCode: [/^(postalcode|postcode|zip|zipcode|우편번호)$/],
  telephone: [/^(phone|tel|telephone|phonenumber|전화번호|전화|연락처)$/, /전화번호$/],
  email: [/^(email|mail|이메일)$/],
  url: [/^(url|website|homepage|web|link|homelink)$/, /(홈페이지|홈페이지주소)$/],
  contactName: [/^(contact|contactname|operator|운영기관명)$/, /(주관|관리|운영)기관명?$/],
  openingHours: [/^(openinghours|hours|운영시간|이용시간|영업시간)$/],
}

const IDS = [/^(id|externalid|uid|uuid|code|ident|geonameid|관리번호|고유번호|일련번호)$/, /(관리번호|고유번호|id)$/]

/** The columns of a file and their values in the first rows. */
export interface Sample {
  columns: readonly string[]
  rows: readonly Fields[]
}

/**
 * Guesses the mapping of a file from the names of its columns and their values.
 * @returns a source for each field that has one, and the required fields that it found no column for
 */
export function guessColumns(sample: Sample, category: string): { columns: Columns; missing: string[] } {
  const columns: Columns = {}
  for (const field of ROW_FIELDS) {
    const column = findColumn(sample, field)
    if (column !== undefined) columns[field] = column
  }
  Object.assign(columns, guessIdentity(sample, columns))
  const missing = ['name', 'latitude', 'longitude', 'externalId'].filter(
    (field) => !Object.hasOwn(columns, field) && !(field === 'externalId' && columns.id !== undefined),
  )
  columns.administrativeAreaCode ??= { value: 'unknown' }
  columns.categoryCode ??= { value: category }
  const used = new Set(Object.values(columns).filter((source) => typeof source === 'string'))
  const others = sample.columns.filter((column) => !used.has(column))
  if (columns.extraAttributes === undefined && others.length > 0) columns.extraAttributes = others
  return { columns, missing }
}

function findColumn(sample: Sample, field: string): string | undefined {
  if (field === 'id' || field === 'externalId') return undefined
  if (sample.columns.includes(field)) return field
  const fits = (column: string) => {
    if (field === 'latitude') return isNumberUpTo(sample, column, 90)
    return field !== 'longitude' || isNumberUpTo(sample, column, 180)
  }
  for (const pattern of NAMES[field] ?? []) {
    const column = sample.columns.find((name) => pattern.test(normalize(name)) && fits(name))
    if (column !== undefined) return column
  }
  return undefined
}

/** A column whose values are unique, or else a template of the name and other columns. */
function guessIdentity(sample: Sample, columns: Columns): Columns {
  for (const pattern of IDS) {
    const column = sample.columns.find((name) => pattern.test(normalize(name)) && countRepeated(sample, [name]) === 0)
    if (column === undefined) continue
    return valuesOf(sample, column).every(isUuid) ? { id: column } : { externalId: column }
  }
  const { name, streetAddress, administrativeAreaCode, jibunAddress, latitude, longitude } = columns
  const candidates = [name, streetAddress, administrativeAreaCode, jibunAddress, latitude, longitude]
  const parts = candidates.filter((source) => typeof source === 'string')
  for (let length = 1; length <= parts.length; length += 1) {
    const names = parts.slice(0, length)
    // A file may contain a few rows twice by mistake. The import reports them.
    const isLast = length === parts.length && countRepeated(sample, names) < MOST_REPEATED * sample.rows.length
    if (countRepeated(sample, names) === 0 || isLast) {
      return { externalId: { template: names.map((name) => `{${name}}`).join('|') } }
    }
  }
  return {}
}

/** With a larger share of repeated rows, columns do not identify a row. */
const MOST_REPEATED = 0.1

function normalize(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '')
}

function valuesOf({ rows }: Sample, column: string): string[] {
  return rows.map((row) => textOf(row[column]))
}

/** Number of rows whose values in the columns are empty or equal to those of an earlier row. */
function countRepeated(sample: Sample, columns: readonly string[]): number {
  const values = sample.rows.map((row) => columns.map((column) => textOf(row[column])))
  const keys = values.filter((texts) => texts.some((text) => text !== '')).map((texts) => JSON.stringify(texts))
  return values.length - new Set(keys).size
}

/** Whether a column has values, and all are numbers from -limit to limit. */
function isNumberUpTo(sample: Sample, column: string, limit: number): boolean {
  const values = valuesOf(sample, column).filter((text) => text.trim() !== '')
  return values.length > 0 && values.every((text) => Math.abs(Number(text)) <= limit)
}
