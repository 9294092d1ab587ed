import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { parse } from 'csv-parse'

/*
 * Names as real as those of a gazetteer, for any number of places: those of the open data in ../shared/data, then pairs of them.
 */

const DATA = new URL('../../../shared/data/', import.meta.url)

/** A name, and other names of the same place. */
interface RealName {
  name: string
  keywords: readonly string[]
}

/** Returns the nth name. It depends only on `n`. */
export async function realNames(): Promise<(n: number) => RealName> {
  const cities = await read('geonames_cities1000_20101205.csv.gz', ({ name = '', alternatenames = '' }) => ({
    name,
    keywords: alternatenames.split(',').filter((keyword) => keyword !== '' && keyword.length <= 100),
  }))
  const sights = [
    ...(await read('ourairports_airports.csv.gz', ({ name = '' }) => ({ name, keywords: [] }))),
    ...(await read('kr_tourist_sites.csv', ({ 관광지명: name = '' }) => ({ name, keywords: [] }))),
    ...(await read('kr_museums.csv', ({ 시설명: name = '' }) => ({ name, keywords: [] }))),
  ]
  return (n) => {
    const city = at(cities, n * 7_919)
    if (n % 5 === 0) return { ...city, keywords: city.keywords.slice(0, 3) }
    // A step that shares no divisor with the numbers of names, so that pairs come again late.
    const sight = at(sights, n * 104_729 + Math.floor(n / cities.length))
    if (n % 5 === 1) return sight
    return { name: `${city.name} ${sight.name}`.slice(0, 200), keywords: [] }
  }
}

function at<Value>(values: readonly Value[], n: number): Value {
  const value = values[n % values.length]
  if (value === undefined) throw new Error('../shared/data has no names')
  return value
}

async function read(file: string, nameOf: (row: Record<string, string>) => RealName): Promise<RealName[]> {
  const bytes = createReadStream(new URL(file, DATA))
  const text = file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes
  const names: RealName[] = []
  for await (const row of text.pipe(parse({ columns: true, bom: true }))) names.push(nameOf(row))
  return names.filter(({ name }) => name.trim() !== '')
}
