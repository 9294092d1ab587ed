import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import iconv from 'iconv-lite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isSlug } from '../../src/catalog/arguments.ts'
import { initManifest } from '../../src/init/init-manifest.ts'
import { slugOf } from '../../src/init/slug.ts'
import { findReferenceSystem } from '../../src/rows/reference-system.ts'
import DIALECTS from './data/dialects.json' with { type: 'json' }
import HEADERS from './data/headers.json' with { type: 'json' }
import POSITIONS from './data/positions.json' with { type: 'json' }

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
let files = 0
const init = async (text: string, country?: string, ending = 'csv') => {
  files += 1
  const proposal = await initManifest(await write(`file-${files}.${ending}`, text), undefined, country)
  const choiceOf = (what: string) => {
    const choice = proposal.choices.find((each) => each.what === what)
    return choice?.readings
  }
  return { ...proposal, choiceOf, writes: (what: string) => choiceOf(what)?.map((each) => each.write) }
}

test.each(HEADERS)(
  'A manifest for $name has the columns, and no bad rows',
  async ({ name, text, columns: expected }) => {
    const path = await write(name, text)
    const { manifest = '', columns, missing, rows, badRows } = await initManifest(path)
    expect(columns).toMatchObject(expected)
    expect([missing, rows, badRows]).toEqual([[], 2, 0])
    const written = await readFile(manifest, 'utf8')
    await expect(initManifest(path)).rejects.toThrow(`${manifest} exists already`)
    // Systems of a country are listed beside a manifest that is there.
    expect((await initManifest(path, undefined, 'KR')).manifest).toBe(manifest)
    expect(await readFile(manifest, 'utf8')).toBe(written)
  },
)

test('the name of the dataset is the name of the file as a title', async () => {
  const { manifest = '' } = await initManifest(await write('bus_stops.csv', 'id,name,lat,lon\n1,A,1,1\n'))
  const { dataset, labels } = JSON.parse(await readFile(manifest, 'utf8'))
  expect(dataset).toMatchObject({ slug: 'bus_stops', name: 'Bus stops' })
  expect(labels).toEqual({ categoryCode: { bus_stops: 'Bus stops' } })
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
    'both, but an externalId twice after the rows that columns are chosen by',
    `id,externalId,name,lat,lon\n${Array.from({ length: 5_001 }, (_, n) => `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, '0')},${n % 5_000},A,1,1\n`).join('')}`,
    { id: 'id', extraAttributes: ['externalId'] },
  ],
  [
    'an id, and another key before it',
    `code,id,name,lat,lon\n1,${ID(6)},A,1,1\n2,${ID(7)},B,1,2\n`,
    { id: 'id', extraAttributes: ['code'] },
  ],
])('Columns id and externalId keep their names: %s', async (_what, text, expected) => {
  const { badRows, columns } = await init(text)
  const { id, externalId, parentExternalId, extraAttributes } = columns
  expect({ id, externalId, parentExternalId, extraAttributes }).toEqual(expected)
  expect(badRows).toBe(0)
})

const slugs: string[] = []
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

describe('An identity', () => {
  const events = (...lines: string[]) => ['name,lat,lon,start_date,last_updated', ...lines, ''].join('\n')

  test('of columns together says what happens to a place that changes', async () => {
    const { choiceOf } = await init('name,lat,lon\nA,1,1\nA,1,2\n')
    expect(choiceOf('identity')).toEqual([
      {
        choice:
          'no column tells places apart, but name, lat, lon do together. A place that changes one of them becomes a new one',
        example: 'A|1|1',
        write: '"externalId": {"template":"{name}|{lat}|{lon}"}',
      },
    ])
    expect((await init('name,lat,lon\nA,1,1\nB,1,2\n')).choiceOf('identity')?.[0]?.choice).toBe(
      'only the name name tells places apart. A place that is renamed becomes a new one',
    )
  })

  test('of an event has its start, not the time of a change, unless its place tells events apart', async () => {
    const { columns } = await init(
      events('A,1,1,2025-10-01,2026-01-02', 'A,1,1,2026-10-01,2026-01-03', 'B,1,1,2026-10-01,2026-01-02'),
    )
    expect(columns.externalId).toEqual({ template: '{name}|{start_date}' })
    const stations = await init(events('A,1,1,Seoul,2026-01-02', 'A,1,2,Seoul,2026-01-02'))
    expect(stations.columns.externalId).toEqual({ template: '{name}|{lat}|{lon}' })
    const placed = await init('name,Datum,Adresse,lat,lon\nA,01.10.2025,S 1,1,1\nA,02.10.2025,S 2,1,1\n')
    expect(placed.columns.externalId).toEqual({ template: '{name}|{Adresse}' })
  })

  test.each(['Standort-Nr.', 'SITE_ID', 'Objektnummer', 'License #', '시설번호', 'facility code', 'permit_no'])(
    'is the column %s, if no row repeats it',
    async (key) => {
      const text = (...ids: string[]) =>
        `name,lfd. Nr.,${key},Telefonnummer,PLZ,lat,lon\n${ids.map((id, n) => `A,${n},${id},02-${n},${n},1,1\n`).join('')}`
      const { columns, writes } = await init(text('0007', '0002'))
      expect([columns.externalId, writes('identity')]).toEqual([
        key,
        [`"externalId": "${key}"`, '"externalId": "lfd. Nr."'],
      ])
      expect((await init(text('0001', '0001'))).columns.externalId).not.toBe(key)
    },
  )

  test.each(['', ',,,\n', ' , ,,\n'])('is a key of the file, also with the line %j', async (blank) => {
    const { columns } = await init(`id,name,lat,lon\n1,A,1,1\n${blank}2,A,1,2\n`)
    expect(columns.externalId).toBe('id')
  })

  test('is a key that one row lacks, and the row is bad', async () => {
    const { columns, badRows } = await init('id,name,lat,lon\n1,A,1,1\n,A,1,2\n3,A,1,3\n')
    expect([columns.externalId, badRows]).toEqual(['id', 1])
  })

  test('is no key that a few rows repeat, which is shown; other rows that no import takes are counted', async () => {
    const good = Array.from({ length: 12 }, (_, n) => `${n + 5},${n},1,${n},x`)
    const rows = ['id,name,lat,lon,type', ...good, '7,C,1,4,', '4,E,,6,x', '16,11,1,11,x']
    const { rows: count, badRows, bad, columns, choiceOf } = await init(`${rows.join('\n')}\n`)
    expect(columns).toMatchObject({
      externalId: { template: '{name}' },
      categoryCode: { column: 'type', default: 'unknown' },
    })
    expect(choiceOf('identity')?.map(({ choice }) => choice)).toEqual([
      'only the name name tells places apart. A place that is renamed becomes a new one. 1 row repeats another',
      'id is no key: 2 rows repeat another',
    ])
    expect([count, badRows, bad.join()]).toEqual([15, 2, expect.stringContaining('latitude is required')])
  })
})

test('a manifest for GeoNames has areas with their country, and the other names as keywords', async () => {
  const rows = [
    'geonameid\tname\talternatenames\tlatitude\tlongitude\tfeature_code\tcountry_code\tadmin1_code',
    '1\tSeoul\tSeoul,서울\t37.5\t127\tPPLC\tKR\t11',
    '2\tLyon\tLugdunum\t45.7\t4.8\tPPLA\tFR\t11',
  ]
  const { columns, values, read } = await init(rows.join('\n'), undefined, 'tsv')
  expect(read).toEqual({ encoding: 'utf-8', delimiter: '\t', decimal: '.', crs: 'EPSG:4326' })
  expect(columns).toEqual({
    name: 'name',
    latitude: 'latitude',
    longitude: 'longitude',
    categoryCode: 'feature_code',
    externalId: 'geonameid',
    keywords: 'alternatenames',
    extraAttributes: ['country_code', 'admin1_code'],
    administrativeAreaCode: { template: '{country_code}-{admin1_code}' },
  })
  expect(values).toMatchObject({ administrativeAreaCode: 'KR-11', keywords: 'Seoul,서울', latitude: '37.5' })
  const iso = rows.join('\n').replace('KR\t11', 'KR\tKR-11').replace('FR\t11', 'FR\tFR-11')
  expect((await init(iso, undefined, 'tsv')).columns.administrativeAreaCode).toBe('admin1_code')
})

test('codes of a place are keywords, and those of its type or country are not', async () => {
  const rows = [
    'name,lat,lon,iata_code,ICAO,kind_code,country_code,tags',
    'Incheon,37.5,126.5,ICN,RKSI,1,KR,hub',
    'Narita,35.8,140.4,NRT,,1,JP,',
    'A field,1,1,,,1,FR,',
  ]
  const { columns, values } = await init(rows.join('\n'))
  expect(columns.keywords).toEqual(['iata_code', 'ICAO', 'tags'])
  expect(columns.extraAttributes).toEqual(['iata_code', 'ICAO', 'kind_code'])
  expect(values.keywords).toBe('ICN; RKSI; hub')
})

test('what has no column is named with the columns that are left, and no manifest is written', async () => {
  const { missing, unused, manifest } = await init('a,lat\n1,500\n1,3\n')
  expect([missing, unused, manifest]).toEqual([
    ['name', 'latitude', 'longitude', 'externalId'],
    [
      { column: 'a', value: '1' },
      { column: 'lat', value: '500' },
    ],
    undefined,
  ])
  await expect(init('a,b\n')).rejects.toThrow('has no rows to choose the columns from')
  await expect(init('x', undefined, 'pdf')).rejects.toThrow('must end in .csv, .tsv, .txt, .ndjson, .jsonl,')
  await expect(initManifest(join(folder, 'nowhere.csv'))).rejects.toThrow('nowhere.csv: does not exist')
  const good = await write('good.csv', 'id,name,lat,lon\n1,A,1,1\n')
  await expect(initManifest(good, join(folder, 'no', 'folder.json'))).rejects.toThrow("can't be written: ENOENT")
})

const NO_PAIR = 'latitude must be one of two numbers in one cell, with the longitude above 90 or in WKT or GeoJSON'
test.each([
  [
    'degrees, minutes and seconds without signs',
    'name,lat,lon\nA,373000,1270000\n',
    ': latitude is no number of degrees; if it is metres, ',
  ],
  ['a pair in either order', 'name,location\nBonn,"50.7, 7.1"\n', `${NO_PAIR}; else write two columns: 50.7, 7.1 (`],
  ['another word', 'name,lat,lon\nA,north,east\n', ': latitude must be a decimal number: north (column lat)'],
  ['an object', '{"name":"A","coord":{"a":1}}\n', `${NO_PAIR}; else write two columns: {"a":1} (column coord)`],
  [
    'a large number',
    'name,lat,lon\nA,48.1,11.5\nB,480.1,11.5\n',
    ':3: latitude must be from -90 to 90: 480.1 (column lat)',
  ],
  [
    'exchanged columns in some rows',
    'name,lat,lon\nA,30.2,-97.8\nB,-97.9,30.3\n',
    ':3: latitude must be from -90 to 90; latitude and longitude look swapped: -97.9 (column lat)',
  ],
])('a value that can not be read is shown, as an import says it: %s', async (_what, text, expected) => {
  const { bad, missing } = await init(text, undefined, text.startsWith('{') ? 'ndjson' : 'csv')
  expect(missing).toEqual([])
  expect(bad[0]).toContain(expected)
})

test('a file without a header has values for names', async () => {
  const { missing, unused } = await init('A,37.5,127.1\nB,37.6,127.2\n')
  expect([missing, unused.map(({ column }) => column)]).toEqual([
    ['name', 'latitude', 'longitude', 'externalId'],
    ['A', '37.5', '127.1'],
  ])
})

describe('What a file is, is found out:', () => {
  test.each(DIALECTS)('$what', async ({ name, text, encoding, bom: addBOM = false, dialect }) => {
    const content = iconv.encode(text, encoding, { addBOM })
    const { manifest = '', missing, badRows, columns, ...found } = await initManifest(await write(name, content))
    expect([missing, badRows, found.dialect]).toEqual([[], 0, dialect])
    const [entry] = JSON.parse(await readFile(manifest, 'utf8')).items
    expect(entry).toEqual({ file: name, ...dialect, columns })
  })

  test.each(POSITIONS.decimal)('the decimal sign, with $what', async ({ text, dialect, place, said }) => {
    const found = await init(text)
    expect(found.dialect).toEqual(dialect)
    expect(
      [found.places[0]?.latitude, found.places[0]?.longitude].map((each) => Number(each).toFixed(2)).join(' '),
    ).toBe(place)
    expect(found.choiceOf('decimal')?.[0]?.choice).toBe(said)
  })

  test.each(POSITIONS.columns)('columns with $what', async ({ text, place }) => {
    const { places } = await init(text)
    expect([places[0]?.latitude, places[0]?.longitude].map((each) => Number(each).toFixed(2))).toEqual(place)
  })

  test('texts that stand for no value', async () => {
    const { choices, dialect, columns, badRows } = await init(
      'id,name,lat,lon,type\n1,A,1,1,N/A\n2,B,N/A,1,NULL\n3,C,1,1,x\n',
    )
    expect([dialect.empty, columns.categoryCode, badRows]).toEqual([
      ['N/A', 'NULL'],
      { column: 'type', default: 'unknown' },
      1,
    ])
    expect(choices[0]).toEqual({
      what: 'empty',
      readings: [
        {
          choice: 'N/A, NULL are no value',
          example: 'type has one in 2 of the first 3 rows',
          write: '"empty": ["N/A","NULL"]',
        },
        { choice: 'they are texts', example: '', write: 'no "empty"' },
      ],
    })
  })

  test('columns with few different values are offered for a code that no column is called like', async () => {
    const rows = ['a', 'b', 'a', 'b'].map((zone, n) => `P${n},${n},1,${zone},${n},N`)
    const { choiceOf, writes } = await init(`name,lat,lon,Sector,Stufe,phone\n${rows.join('\n')}`)
    expect(choiceOf('administrativeAreaCode')?.[1]).toEqual({
      choice: 'the column Sector, with 2 values',
      example: 'a',
      write: '"administrativeAreaCode": "Sector"',
    })
    expect(writes('categoryCode')?.[1]).toBe('"categoryCode": "Sector"')
  })

  test('a separator, if another one makes columns of all rows too', async () => {
    const { dialect, choiceOf } = await init('Name, Ort;Breite;Länge\nDom, Köln;50.9;6.9\nZoo, Köln;50.8;6.8\n')
    expect(dialect.delimiter).toBe(';')
    expect(choiceOf('delimiter')).toEqual([
      { choice: 'semicolons', example: '3 columns, the first is "Name, Ort"', write: '"delimiter": ";"' },
      { choice: 'commas', example: '2 columns, the first is "Name"', write: '"delimiter": ","' },
    ])
    const mac = ['Bezeichnung;Breitengrad;Längengrad', ...Array(2_000).fill('Rathaus;48,137389;11,575389')]
    expect((await init(mac.join('\r'))).dialect.delimiter).toBe(';')
    const spaced = await init('name lat lon\nA 37.5 127\nB 37.6 128\n')
    expect(spaced.unused).toEqual([{ column: 'name lat lon', value: 'A 37.5 127' }])
  })

  test('texts beyond ASCII', async () => {
    expect((await init('id,이름,lat,lon\n1,A,1,1\n2,Café,1,2\n3,Łódź,1,3\n')).texts).toEqual(['Café', 'Łódź'])
  })
})

test.each<[string, string, number, number, number]>([
  ['New Zealand', 'NZ', 1749146, 5427448, 2193],
  ['Taipei', 'TW', 306000, 2770000, 3826],
  ['New York in feet', 'US', 984247.6, 212213.9, 2263],
  ['Sweden with north first', 'SE', 6580822, 674032, 3006],
  ['Poland with north first', 'PL', 486677, 638950, 2180],
  ['Poland in zone 7 with north first', 'PL', 5788000, 7500000, 2178],
  ['Munich in Gauss-Krüger with north first', 'Germany', 5333349.496, 4468512.933, 31468],
  ['Spain', 'es', 440291, 4474254, 25830],
  ['Tokyo with north first', 'JPN', -35367.23, -5995.185, 6677],
  ['Hong Kong', 'HK', 835559.5, 815681, 2326],
  ['Austria', 'AT', 625633.4, 483376.1, 31287],
  ['Romania with north first', 'RO', 326177.2, 587700.4, 3844],
  ['Israel', 'IL', 219983, 630814.6, 2039],
  ['Ireland', 'IE', 715845.9, 734720.3, 2157],
  ['Hungary with north first', 'HU', 240675, 652452.3, 23700],
  ['Greece', 'GR', 476138.6, 4203342.4, 2100],
  ['Australia', 'AU', 334873, 6252290, 28356],
  ['Seoul', 'KR', 198056.367, 551885.031, 5186],
])('metres of %s have their system among those of the country', async (what, country, x, y, number) => {
  const { systems = [] } = await init(`id,name,x,y\n1,A,${x},${y}\n`, country)
  const [east, north] = /north first/.test(what) ? [y, x] : [x, y]
  const place = findReferenceSystem(`EPSG:${number}`)?.toDegrees(east, north)
  const examples = systems.map(({ example }) => example)
  // Another system may have the same place.
  expect(examples.join('\n')).toContain(`${place?.latitude.toFixed(4)}, ${place?.longitude.toFixed(4)}, `)
  expect(new Set(examples).size).toBe(examples.length)
})

test('a country that does not exist is refused', async () => {
  await expect(init('id,name,x,y\n7,A,1749146,5427448\n', 'XX')).rejects.toThrow('--country XX is no country')
})

test.each(['180', '-180'])('the place on the line of %s degrees is in its country', async (longitude) => {
  const { places } = await init(`id,name,lat,lon\n7,A,-17,${longitude}\n`)
  expect(places[0]?.where).toMatch(/^Fiji, /)
})

test('three places are shown: the first, the middle and the last, where they would be stored', async () => {
  const rows = Array.from({ length: 5_001 }, (_, n) => `${n + 3},A,${37 + n / 10_000},127.00000004\n`)
  const { places } = await init(`id,name,lat,lon\n${rows.join('')}`)
  expect(places.map(({ row, latitude, longitude }) => [row, latitude, longitude])).toEqual([
    [1, '37', '127'],
    [expect.closeTo(2_501, -1), expect.any(String), '127'],
    [5_001, '37.5', '127'],
  ])
  expect(places.map(({ where }) => where)).toEqual([
    'South Korea, 15 km from Seonghwan',
    expect.stringContaining('South Korea, '),
    'South Korea, 5 km from Yongsan-dong',
  ])
})
