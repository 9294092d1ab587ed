import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importManifest } from '../../src/import/import.ts'
import { initManifest } from '../../src/import/init/init-manifest.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

let db: TestDatabase
let folder: string
beforeAll(async () => {
  db = await createDatabase()
  folder = await mkdtemp(join(tmpdir(), 'catalog-init-'))
})
afterAll(async () => {
  await db.close()
  await rm(folder, { recursive: true })
})

const write = async (name: string, text: string) => {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}
const feature = (id: number) => ({
  type: 'Feature',
  id: `f${id}`,
  geometry: { type: 'Point', coordinates: [127, 37] },
  properties: { title: `Place ${id}`, kind: 'x', population: id },
})

test.each<[string, string, object]>([
  [
    '박물관.csv',
    '시설명,박물관구분,소재지도로명주소,위도,경도,운영기관전화번호,제공기관코드,관람료\nA,사립,서울 1,37.5,127,02-1,11,0\nA,공립,서울 2,37.6,127,02-2,11,500\n',
    {
      name: '시설명',
      categoryCode: '박물관구분',
      administrativeAreaCode: '제공기관코드',
      streetAddress: '소재지도로명주소',
      roadAddress: '소재지도로명주소',
      latitude: '위도',
      longitude: '경도',
      telephone: '운영기관전화번호',
      externalId: { template: '{시설명}|{소재지도로명주소}' },
      extraAttributes: ['관람료'],
    },
  ],
  [
    'towers.csv',
    'id,x,y,lat,lng,Name\n1,500000,200000,37.5,127,A\n2,500001,200001,37.6,127,B\n',
    {
      name: 'Name',
      latitude: 'lat',
      longitude: 'lng',
      externalId: 'id',
      administrativeAreaCode: { value: 'unknown' },
      categoryCode: { value: 'towers' },
      extraAttributes: ['x', 'y'],
    },
  ],
  [
    'points.geojson',
    JSON.stringify({ type: 'FeatureCollection', features: [feature(1), feature(2)] }),
    { name: 'title', categoryCode: 'kind', externalId: 'externalId', extraAttributes: ['population'] },
  ],
  [
    'large-ids.ndjson',
    '{"id":9007199254740993,"title":"A","lat":1,"lon":2}\n{"id":9007199254740995,"title":"B","lat":1,"lon":3}\n',
    { name: 'title', latitude: 'lat', longitude: 'lon', externalId: 'id' },
  ],
  [
    'rows.ndjson',
    '{"title":"A","lat":"1","lon":2}\n{"title":"B","lat":1,"lon":3,"email":"a@b.c"}\n',
    { name: 'title', latitude: 'lat', longitude: 'lon', email: 'email', externalId: { template: '{title}' } },
  ],
])('A manifest for %s has the guessed columns, and imports all rows', async (name, text, expected) => {
  const path = await write(name, text)
  const { manifest, columns, missing } = await initManifest(path)
  expect(columns).toMatchObject(expected)
  expect(missing).toEqual([])
  const options = { keepMissing: false, skipInvalid: false }
  expect(await importManifest(db.database, manifest, options)).toMatchObject({ created: 2, skipped: 0 })
  const written = await readFile(manifest, 'utf8')
  await expect(initManifest(path)).rejects.toThrow(`${manifest} exists already`)
  expect(await readFile(manifest, 'utf8')).toBe(written)
})

test('what has no column is named, and a file without rows or of another format is refused', async () => {
  const path = await write('bare.csv', 'a,lat\n1,500\n1,3\n')
  expect((await initManifest(path)).missing).toEqual(['name', 'latitude', 'longitude', 'externalId'])
  await expect(initManifest(await write('empty.csv', 'a,b\n'))).rejects.toThrow('has no rows to guess the columns from')
  await expect(initManifest(await write('a.xlsx', 'x'))).rejects.toThrow('must end in .ndjson, .csv or .geojson')
  await expect(initManifest(join(folder, 'nowhere.csv'))).rejects.toThrow("can't be read: ENOENT")
  await expect(initManifest(path, join(folder, 'no', 'folder.json'))).rejects.toThrow("can't be written: ENOENT")
})
