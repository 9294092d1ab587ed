import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import iconv from 'iconv-lite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isSlug } from '../../src/catalog/arguments.ts'
import { importManifest } from '../../src/import/import.ts'
import { initManifest } from '../../src/init/init-manifest.ts'
import { slugOf } from '../../src/init/slug.ts'
import { describeInference } from '../../src/rows/inference.ts'
import { useDatabase } from '../support/database.ts'
import DIALECTS from './data/dialects.json' with { type: 'json' }
import HEADERS from './data/headers.json' with { type: 'json' }

const db = useDatabase()
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalog-init-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

const write = async (name: string, text: string | Buffer) => {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}
const slugs: string[] = []
test.each(HEADERS)(
  'A manifest for $name has the guessed columns, and imports all rows',
  async ({ name, text, columns: expected }) => {
    const path = await write(name, text)
    const { manifest, columns, missing } = await initManifest(path)
    expect(columns).toMatchObject(expected)
    expect(missing).toEqual([])
    const options = { keepMissing: false, skipInvalid: false }
    expect(await importManifest(db.database, manifest, options)).toMatchObject({ created: 2, skipped: 0 })
    const written = await readFile(manifest, 'utf8')
    await expect(initManifest(path)).rejects.toThrow(`${manifest} exists already`)
    expect(await readFile(manifest, 'utf8')).toBe(written)
  },
)

test('the name of the dataset is the name of the file as a title', async () => {
  const { manifest } = await initManifest(await write('bus_stops.csv', 'id,name,lat,lon\n1,A,1,1\n'))
  expect(JSON.parse(await readFile(manifest, 'utf8')).dataset).toMatchObject({ slug: 'bus_stops', name: 'Bus stops' })
})

const ID = (n: number) => `aaaaaaaa-0000-4000-8000-00000000000${n}`
test.each<[string, string, object]>([
  [
    'both, of which some rows have one',
    `id,externalId,name,lat,lon,parentExternalId\n${ID(1)},,A,1,1,\n${ID(2)},x,B,1,2,\n,y,C,1,3,x\n`,
    { id: 'id', externalId: 'externalId', parentExternalId: 'parentExternalId' },
  ],
  [
    'both, and extraAttributes, as our exports',
    `externalId,id,name,lat,lon,extraAttributes\nx,${ID(3)},A,1,1,{}\n`,
    { id: 'id', externalId: 'externalId', extraAttributes: 'extraAttributes' },
  ],
  [
    'both, but no UUIDs',
    'id,externalId,name,lat,lon\n1,x,A,1,1\n2,y,B,1,2\n',
    { externalId: 'externalId', extraAttributes: ['id'] },
  ],
  [
    'both, but an externalId twice',
    `id,externalId,name,lat,lon\n${ID(4)},x,A,1,1\n${ID(5)},x,B,1,2\n`,
    { id: 'id', extraAttributes: ['externalId'] },
  ],
  [
    'both, but an externalId twice after the rows that are guessed from',
    `id,externalId,name,lat,lon\n${Array.from({ length: 5_001 }, (_, n) => `${randomUUID()},${n % 5_000},A,1,1\n`).join('')}`,
    { id: 'id', extraAttributes: ['externalId'] },
  ],
  [
    'an id, and another key before it',
    `code,id,name,lat,lon\n1,${ID(6)},A,1,1\n2,${ID(7)},B,1,2\n`,
    { id: 'id', extraAttributes: ['code'] },
  ],
])('Columns id and externalId keep their names: %s', async (_what, text, expected) => {
  const { manifest, columns, checked } = await initManifest(await write(`both-${randomUUID().slice(0, 8)}.csv`, text))
  const { id, externalId, parentExternalId, extraAttributes } = columns
  expect({ id, externalId, parentExternalId, extraAttributes }).toEqual(expected)
  const summary = await importManifest(db.database, manifest, { keepMissing: false, skipInvalid: false })
  expect(summary).toMatchObject({ created: checked.rows })
})

test.each([
  ['museums 2026', 'museums-2026'],
  ['박물관', 'bakmulgwan'],
  ['서울 museums', 'seoul-museums'],
  ['Kõrgoja (Eesti)', 'Korgoja-Eesti'],
  ['11111111-1111-4111-8111-111111111111', /^11111111-1111-4111-8111-111111111111-[0-9a-f]{8}$/],
  ['美術館', /^dataset-[0-9a-f]{8}$/],
  ['図書館', /^dataset-[0-9a-f]{8}$/],
  ['カフェ', /^dataset-[0-9a-f]{8}$/],
  ['музеи', /^dataset-[0-9a-f]{8}$/],
  ['Μουσεία', /^dataset-[0-9a-f]{8}$/],
  ['متاحف', /^dataset-[0-9a-f]{8}$/],
  ['🏛', /^dataset-[0-9a-f]{8}$/],
  ['museums 東京', /^museums-[0-9a-f]{8}$/],
  ['museums 大阪', /^museums-[0-9a-f]{8}$/],
  ['Łódź', /^odz-[0-9a-f]{8}$/],
])('a file called %s gets a slug of its own', (name, expected) => {
  expect(slugOf(name)).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected))
  // File systems of Apple decompose letters.
  expect(slugOf(name.normalize('NFD'))).toBe(slugOf(name))
  slugs.push(slugOf(name))
  expect(new Set(slugs).size).toBe(slugs.length)
  expect(isSlug(slugOf(name))).toBe(true)
})

describe('An identity that the file does not prove is said:', () => {
  const rows = (...lines: string[]) => ['name,lat,lon,phone,mark,Umsatz (€),count,seen', ...lines, ''].join('\n')
  const identityOf = async (text: string) => {
    const { inferences, columns } = await initManifest(await write(`identity-${randomUUID()}.csv`, text))
    return { identity: inferences.find(({ what }) => what === 'identity'), externalId: columns.externalId }
  }

  test('with coordinates, what happens to a place that moves, and another column', async () => {
    const { identity } = await identityOf(rows('A,1,1,02-1,k1,1.5,7,2026-01-01', 'A,1,2,02-2,k2,2.5,12,2026-01-02'))
    expect(identity).toEqual({
      what: 'identity',
      chosen: {
        choice: 'name and lat and lon, so a place that moves or changes its name becomes a new item with another id',
        example: 'A|1|1',
        write: '"externalId": {"template":"{name}|{lat}|{lon}"}',
      },
      alternatives: [{ choice: 'the column mark, if it never changes', example: 'k1', write: '"externalId": "mark"' }],
    })
  })

  test('of an event by its start, not by the time of a change', async () => {
    const events = (...lines: string[]) => ['name,lat,lon,start_date,last_updated', ...lines, ''].join('\n')
    const { identity, externalId } = await identityOf(
      events('A,1,1,2025-10-01,2026-01-02', 'A,1,1,2026-10-01,2026-01-03', 'B,1,1,2026-10-01,2026-01-02'),
    )
    expect(externalId).toEqual({ template: '{name}|{start_date}' })
    expect(identity?.chosen.choice).toBe(
      'name and start_date, so a place whose name or date changes becomes a new item with another id',
    )
    const stations = await identityOf(events('A,1,1,Seoul,2026-01-02', 'A,1,2,Seoul,2026-01-02'))
    expect(stations.externalId).toEqual({ template: '{name}|{lat}|{lon}' })
  })

  test('of an event by its place, if that tells events apart: a date changes', async () => {
    const text = 'name,Datum,Adresse,lat,lon\nA,01.10.2025,S 1,1,1\nA,02.10.2025,S 2,1,1\n'
    expect((await identityOf(text)).externalId).toEqual({ template: '{name}|{Adresse}' })
  })

  test.each(['Standort-Nr.', 'SITE_ID', 'Objektnummer', 'License #', '시설번호', 'facility code', 'permit_no'])(
    'the column %s is one, if no row repeats it',
    async (key) => {
      const text = (...ids: string[]) =>
        `name,lfd. Nr.,${key},Telefonnummer,PLZ,lat,lon\n${ids.map((id, n) => `A,${n},${id},02-${n},${n},1,1\n`).join('')}`
      const { identity, externalId } = await identityOf(text('0001', '0002'))
      expect([externalId, identity?.chosen.choice]).toEqual([
        key,
        key === 'SITE_ID' ? undefined : `the column ${key}, as no row repeats it; it must never change`,
      ])
      expect((await identityOf(text('0001', '0001'))).externalId).not.toBe(key)
    },
  )

  test('of a name', async () => {
    const { identity } = await identityOf(rows('A,1,1,02,,,,', 'B,1,2,02,,,,'))
    expect(identity?.chosen.choice).toContain('name, so a place whose name or address changes becomes a new item')
  })

  test.each(['', ',,,\n', ' , ,,\n'])('a key of the file is one, also with the line %j', async (blank) => {
    const { identity, externalId } = await identityOf(`id,name,lat,lon\n1,A,1,1\n${blank}2,A,1,2\n`)
    expect([identity, externalId]).toEqual([undefined, 'id'])
  })

  test('a key that one row lacks is one, and the row is bad', async () => {
    const { externalId } = await identityOf('id,name,lat,lon\n1,A,1,1\n,A,1,2\n3,A,1,3\n')
    expect(externalId).toBe('id')
  })
})

test('a manifest for GeoNames has areas with their country, and the other names as keywords', async () => {
  const rows = [
    'geonameid\tname\talternatenames\tlatitude\tlongitude\tfeature_code\tcountry_code\tadmin1_code',
    ...['1\tSeoul\tSeoul,서울\t37.5\t127\tPPLC\tKR\t11', '2\tLyon\tLugdunum\t45.7\t4.8\tPPLA\tFR\t11'],
  ]
  const { manifest, columns } = await initManifest(await write('geonames.tsv', rows.join('\n')))
  expect(columns).toEqual({
    ...{ name: 'name', latitude: 'latitude', longitude: 'longitude', categoryCode: 'feature_code' },
    ...{ externalId: 'geonameid', keywords: 'alternatenames', extraAttributes: ['country_code', 'admin1_code'] },
    administrativeAreaCode: { template: '{country_code}-{admin1_code}' },
  })
  const { datasetId } = await importManifest(db.database, manifest, { keepMissing: false, skipInvalid: false })
  const items = await db.database.prisma.item.findMany({ where: { datasetId }, orderBy: { name: 'asc' } })
  expect(items.map((item) => [item.administrativeAreaCode, item.keywords])).toEqual([
    ['FR-11', ['Lugdunum']],
    ['KR-11', ['Seoul', '서울']],
  ])
  const iso = rows.join('\n').replace('KR\t11', 'KR\tKR-11').replace('FR\t11', 'FR\tFR-11')
  expect((await initManifest(await write('iso.tsv', iso))).columns.administrativeAreaCode).toBe('admin1_code')
})

test('codes of a place are keywords, and those of its type or country are not', async () => {
  const rows = [
    'name,lat,lon,iata_code,ICAO,kind_code,country_code,tags',
    'Incheon,37.5,126.5,ICN,RKSI,1,KR,hub',
    'Narita,35.8,140.4,NRT,,1,JP,',
    'A field,1,1,,,1,FR,',
  ]
  const { columns, checked } = await initManifest(await write('codes.csv', rows.join('\n')))
  expect(columns.keywords).toEqual(['iata_code', 'ICAO', 'tags'])
  expect(columns.extraAttributes).toEqual(['iata_code', 'ICAO', 'kind_code'])
  expect(checked.items[0]?.keywords).toEqual(['ICN', 'RKSI', 'hub'])
})

test('what has no column is named, and a file without rows or of another format is refused', async () => {
  const path = await write('bare.csv', 'a,lat\n1,500\n1,3\n')
  expect((await initManifest(path)).missing).toEqual(['name', 'latitude', 'longitude', 'externalId'])
  await expect(initManifest(await write('empty.csv', 'a,b\n'))).rejects.toThrow('has no rows to guess the columns from')
  await expect(initManifest(await write('a.pdf', 'x'))).rejects.toThrow(
    'must end in .csv, .tsv, .txt, .ndjson, .jsonl,',
  )
  await expect(initManifest(join(folder, 'nowhere.csv'))).rejects.toThrow('nowhere.csv: does not exist')
  await expect(initManifest(path, join(folder, 'no', 'folder.json'))).rejects.toThrow("can't be written: ENOENT")
})

const GERMAN = [
  'Bezeichnung;Straße;PLZ;Ort;Breitengrad;Längengrad;Art',
  'Münchner Rathaus;Marienplatz 8;80331;München;48,137389;11,575389;Rathaus',
  'Großer Garten;Lennéstraße 1;01069;Dresden;51,0379;13,7638;',
  'Kölner Dom;"Domkloster 4; Hauptportal";50667;Köln;50,9413;6,9583;Kirche',
]
const METRES = [
  'Nr;Bezeichnung;Rechtswert;Hochwert',
  '1;Rathaus;691.603,03;5.334.780,03',
  '2;Bücherei;691700,10;5334900,20',
]

describe('What a file is, is found out: init and import are enough for', () => {
  test.each(DIALECTS)('$what', async ({ name, text, encoding, bom: addBOM = false, dialect }) => {
    const content = iconv.encode(text, encoding, { addBOM })
    const { manifest, checked, missing, ...found } = await initManifest(await write(name, content))
    expect([missing, checked.badRows, found.dialect]).toEqual([[], 0, dialect])
    const entry = JSON.parse(await readFile(manifest, 'utf8')).items[0]
    expect(entry).toEqual({ file: name, ...dialect, columns: found.columns })
    const summary = await importManifest(db.database, manifest, { keepMissing: false, skipInvalid: false })
    expect(summary).toMatchObject({ created: checked.rows, skipped: 0 })
    const stored = await db.database.prisma.item.findMany({ where: { datasetId: summary.datasetId } })
    for (const { name: title, latitude, longitude } of checked.items) {
      const place = { latitude: latitude, longitude: longitude }
      expect(
        stored.map((item) => ({ ...item, latitude: item.latitude.toFixed(), longitude: item.longitude.toFixed() })),
      ).toContainEqual(expect.objectContaining({ name: title, ...place }))
    }
  })

  test('metres whose system no name says: the manifest has the likeliest, and the others are named', async () => {
    const { inferences } = await initManifest(await write('metres.csv', METRES.join('\n')))
    const crs = inferences.find(({ what }) => what === 'crs')
    expect(crs?.chosen).toEqual({
      choice: 'EPSG:25832 (ETRS89 / UTM zone 32N)',
      example: 'the first place at latitude 48.1374, longitude 11.5755, Germany',
      write: '"crs": "EPSG:25832", "latitude": "Hochwert", "longitude": "Rechtswert"',
    })
    expect(crs?.alternatives[0]?.write).toContain('"crs": "EPSG:25833"')
    const named = METRES.join('\n').replace('Rechtswert', 'Ost_UTM33N').replace('Hochwert', 'Nord_UTM33N')
    const certain = await initManifest(await write('named.csv', named))
    expect(certain.inferences.map(({ what }) => what)).not.toContain('crs')
    expect(certain.dialect.crs).toBe('EPSG:25833')
  })

  test('degrees without their decimal sign are no metres, and are said', async () => {
    const text = 'Nr;Name;Breite;Länge\n1;A;51.050.407;13.737.262\n2;B;51.051.408;13.738.263\n'
    const { missing, unread, dialect } = await initManifest(await write('lost.csv', text))
    expect([missing, dialect.crs]).toEqual([['latitude', 'longitude'], undefined])
    expect(unread).toMatch(
      /^the column Breite has 51.050.407, no number of degrees: it may have lost its decimal sign, or be metres/,
    )
    const large = await initManifest(await write('large.csv', 'id,name,lat,lon\n1,A,48.1,11.5\n2,B,480.1,11.5\n'))
    expect(large.unread).toMatch(/^the column lat has 480.1, no number of degrees/)
    const some = await initManifest(await write('some.csv', 'id,name,lat,lon\n1,A,30.2,-97.8\n2,B,-97.9,30.3\n'))
    expect(some.unread).toMatch(
      /^the column lat has -97.9, more than 90 degrees; some rows may have both columns exchanged/,
    )
  })

  test('texts that stand for no value are empty in the manifest, and said', async () => {
    const text = 'id,name,lat,lon,type\n1,A,1,1,N/A\n2,B,N/A,1,NULL\n3,C,1,1,x\n'
    const { inferences, dialect, columns, checked } = await initManifest(await write('no-values.csv', text))
    expect([dialect.empty, columns.categoryCode, checked.badRows]).toEqual([
      ['N/A', 'NULL'],
      { column: 'type', default: 'unknown' },
      1,
    ])
    expect(inferences.flatMap(describeInference).slice(0, 2)).toEqual([
      'guess: an empty cell is N/A or NULL: the column type has one in 2 of the first 3 rows; the manifest has "empty": ["N/A","NULL"]',
      '  or only a cell without text; then write no "empty"',
    ])
  })

  test('columns with few different values are offered for a code that no column is called like', async () => {
    const text = `name,lat,lon,Zone,Stufe,phone\n${['a', 'b', 'a', 'b'].map((zone, n) => `P${n},${n},1,${zone},${n},N`).join('\n')}`
    const { inferences } = await initManifest(await write('zones.csv', text))
    const codes = inferences.filter(({ what }) => what.endsWith('Code'))
    expect(codes.map(({ what, alternatives }) => [what, ...alternatives.map(({ write }) => write)])).toEqual([
      ['administrativeAreaCode', '"administrativeAreaCode": "Zone"'],
      ['categoryCode', '"categoryCode": "Zone"'],
    ])
    expect(codes.flatMap(describeInference)[1]).toBe(
      '  or the column Zone: a, one of 2 values; then write "administrativeAreaCode": "Zone"',
    )
  })

  test('rows that no import would take: they are counted, the key that repeats is named, and empty codes get a default', async () => {
    const good = Array.from({ length: 12 }, (_, n) => `${n},${n},1,${n},x`)
    const rows = ['id,name,lat,lon,type', ...good, '2,C,1,4,', '5,E,,6,x', '11,11,1,11,x']
    const { checked, columns, repeatedKey, inferences } = await initManifest(
      await write('keys.csv', `${rows.join('\n')}\n`),
    )
    expect(inferences.flatMap(describeInference)).toEqual([
      expect.stringMatching(/^guess: identity is name and lat and lon, so a place that moves .* the manifest has /),
      'guess: administrativeAreaCode is "unknown", as no column was recognised for it; the manifest has "administrativeAreaCode": {"value":"unknown"}',
      'guess: categoryCode is "unknown" where the column type is empty: line 14; the manifest has "categoryCode": {"column":"type","default":"unknown"}',
    ])
    expect(repeatedKey).toBe('id')
    expect(columns).toMatchObject({
      externalId: { template: '{name}|{lat}|{lon}' },
      categoryCode: { column: 'type', default: 'unknown' },
    })
    expect(checked).toMatchObject({ rows: 15, badRows: 2, repeated: 1 })
    expect(checked.bad.describe().join()).toContain('latitude is required')
  })

  test('a separator is said if another one makes columns of all rows too', async () => {
    const text = 'Name, Ort;Breite;Länge\nDom, Köln;50.9;6.9\nZoo, Köln;50.8;6.8\n'
    const { inferences, dialect } = await initManifest(await write('both-signs.csv', text))
    expect([dialect.delimiter, inferences.find(({ what }) => what === 'delimiter')]).toEqual([
      ';',
      {
        what: 'delimiter',
        chosen: { choice: 'semicolons', example: '3 columns, the first is "Name, Ort"', write: '"delimiter": ";"' },
        alternatives: [{ choice: 'commas', example: '2 columns, the first is "Name"', write: '"delimiter": ","' }],
      },
    ])
    const mac = await initManifest(await write('mac.csv', [GERMAN[0], ...Array(2_000).fill(GERMAN[1])].join('\r')))
    expect(mac.dialect.delimiter).toBe(';')
    const spaced = await initManifest(await write('spaced.csv', 'name lat lon\nA 37.5 127\nB 37.6 128\n'))
    expect(spaced.inferences.find(({ what }) => what === 'delimiter')?.chosen.choice).toBe('spaces')
    expect(spaced.checked).toMatchObject({ rows: 2, badRows: 0 })
  })

  test('the order of x and y is said, unless a name or a large longitude proves it', async () => {
    const find = async (rows: string) => {
      const { inferences } = await initManifest(await write(`axes-${randomUUID()}.csv`, rows))
      return inferences.find(({ what }) => what === 'the order of the coordinates')
    }
    expect(await find('name,x,y\nA,48.1,11.5\n')).toEqual({
      what: 'the order of the coordinates',
      chosen: {
        choice: 'y to the north and x to the east',
        example: 'the first place at latitude 11.5, longitude 48.1, Somaliland',
        write: '"latitude": "y", "longitude": "x"',
      },
      alternatives: [
        {
          choice: 'x to the north and y to the east',
          example: 'the first place at latitude 48.1, longitude 11.5, Germany',
          write: '"latitude": "x", "longitude": "y"',
        },
      ],
    })
    expect(await find(`name,x,y\n${'A,48.1,11.5\n'.repeat(9)}B,127,37\n`)).toBeUndefined()
    expect(await find('name,lon,lat\nA,11.5,48.1\n')).toBeUndefined()
    expect(await find('name,latitude,longitude\nA,-97.8,30.2\n')).toEqual({
      what: 'the order of the coordinates',
      chosen: {
        choice:
          'longitude to the north and latitude to the east, against their names, as latitude has -97.8, which is no latitude',
        example: 'the first place at latitude 30.2, longitude -97.8, United States of America',
        write: '"latitude": "longitude", "longitude": "latitude"',
      },
      alternatives: [],
    })
  })

  test.each<[string, string, string, boolean]>([
    ['a country in another one', 'name,lat,lon,country\n', 'A,11.58,48.14,Germany\nB,13.4,52.5,Germany\n', true],
    ['its name in another language', 'name,lat,lon\n', '"A, Österreich",16.37,48.21\n', true],
    ['the code of a country', 'name,lat,lon,country_code\n', 'A,9.19,45.46,it\n', true],
    ['the code of a country, of three letters', 'name,lat,lon,ISO3\n', 'A,9.19,45.46,ITA\n', true],
    ['a language', 'nazwa,lat,lon\n', 'Łódź,19.46,51.76\nKraków,19.94,50.06\n', true],
    ['letters of a language', 'name,lat,lon\n', 'Київ,30.52,50.45\nОдеса,30.73,46.48\n', true],
    ['all places in the sea', 'name,lat,lon\n', 'A,-4.49,48.39\nB,-1.55,47.22\n', true],
    ['no country, but one on each side', 'name,lat,lon\n', 'A,11.58,48.14\n', false],
    ['the right country', 'name,lat,lon,country\n', 'A,48.14,11.58,Germany\n', false],
    ['a country that both sides have', 'name,lat,lon,country\n', 'A,27.5,28.5,Egypt\n', false],
    ['small islands', 'name,lat,lon\n', 'A,35.9,14.51\n', false],
    ['islands of a large country', 'name,lat,lon\n', 'A,28.1,-15.4\nB,28.47,-16.25\n', false],
    ['the sea before Antarctica', 'name,lat,lon\n', 'A,39.5,-72.5\n', false],
    ['sea on both sides', 'name,lat,lon\n', 'A,-30.5,-35.5\n', false],
  ])(
    'columns called lat and lon with %s are said to be exchanged only if that is likelier',
    async (_what, header, rows, isSaid) => {
      const name = `exchanged-${randomUUID()}.csv`
      const { inferences, columns } = await initManifest(await write(name, header + rows))
      const [axes] = inferences.filter(({ what }) => what === 'the order of the coordinates')
      expect(axes?.alternatives.map(({ write }) => write)).toEqual(
        isSaid ? ['"latitude": "lon", "longitude": "lat"'] : undefined,
      )
      expect(columns.latitude).toBe('lat')
    },
  )

  test('exchanged coordinates of GeoJSON are said', async () => {
    const munich = {
      type: 'Feature',
      properties: { name: 'A', land: 'DE' },
      geometry: { type: 'Point', coordinates: [48.1, 11.5] },
    }
    const { inferences } = await initManifest(await write('exchanged.geojson', JSON.stringify({ features: [munich] })))
    expect(inferences[0]?.alternatives[0]?.example).toBe('the first place at latitude 48.1, longitude 11.5, Germany')
  })

  test('the box that contains all places is known', async () => {
    const { checked } = await initManifest(await write('pole.csv', 'name,lat,lon\nA,90,180\nB,-90,-180\nC,48,11\n'))
    expect(checked.extent).toEqual({ west: -180, south: -90, east: 180, north: 90 })
  })
})
