import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import iconv from 'iconv-lite'
import { afterAll, describe, expect, test } from 'vitest'
import { parseManifest } from '../../src/rows/manifest.ts'
import { explainProblem } from '../../src/rows/problem.ts'
import { rows } from '../../src/rows/rows.ts'

/*
 * Files of other people's kinds, without a database: what rows() makes of them.
 */

const folder = mkdtempSync(join(tmpdir(), 'catalog-kinds-'))
afterAll(() => rmSync(folder, { recursive: true }))

const DATASET = { slug: 'a', name: 'A', status: 'active', visibility: 'public', attribution: 'Us' }
const CODES = { administrativeAreaCode: { value: '11' }, categoryCode: { value: 'x' } }

/** The places of a file, and what is said: `W` for a warning, and the reason of an error. */
async function read(name: string, content: string | Buffer, entry: object = {}): Promise<string[]> {
  writeFileSync(join(folder, name), content)
  const manifest = JSON.stringify({ dataset: DATASET, items: [{ file: name, ...entry }] })
  const { files } = parseManifest(join(folder, 'm.json'), manifest)
  const said: string[] = []
  try {
    for (const file of files) {
      for await (const row of rows(file)) {
        const label = 'reason' in row && row.warns !== undefined ? 'W ' : ''
        if ('reason' in row) said.push(`${label}${row.line}: ${explainProblem(row)}`)
        else said.push([row.item.externalId, row.item.name, row.item.latitude, row.item.longitude].join(' '))
      }
    }
  } catch (error) {
    said.push(error instanceof Error ? error.message : String(error))
  }
  return said
}

const GIVEN = { externalId: 'id', name: 'name', ...CODES }
const mapped = (columns: object) => ({ columns: { ...GIVEN, ...columns } })
const PLAIN = mapped({ latitude: 'lat', longitude: 'lon' })

const parts = (field: string) => ({ degrees: `${field}_deg`, minutes: `${field}_min`, seconds: `${field}_sec` })
const PARTS = mapped({ latitude: parts('lat'), longitude: parts('lon') })
const PARTS_HEADER = 'id,name,lat_deg,lat_min,lat_sec,lon_deg,lon_min,lon_sec\n'
const SIDES = mapped({
  latitude: { degrees: 'lat', hemisphere: 'ns' },
  longitude: { degrees: 'lon', hemisphere: 'ew' },
})
const SIDES_HEADER = 'id,name,lat,ns,lon,ew\n'

describe('A coordinate in several columns', () => {
  test.each<[string, string]>([
    ['37,33,,126,59,', '37.5500000 126.9833333'],
    ['37,33,58,126,58,41', '37.5661111 126.9780556'],
    ['-37,33,0,126,59,0', '-37.5500000 126.9833333'],
    ['-0,30,0,0,30,0', '-0.5000000 0.5000000'],
    ['37.5,,,126.9,,', '37.5 126.9'],
    ['37,33.5,,126,59.25,', '37.5583333 126.9875000'],
    ['37°,33\',58",126°,58\',41"', '37.5661111 126.9780556'],
  ])('%s is %s', async (cells, place) => {
    const [row] = await read(
      'a.csv',
      `${PARTS_HEADER}1,A,${cells.replaceAll('"', '""').replaceAll(/[^,]*""[^,]*/g, '"$&"')}\n`,
      PARTS,
    )
    const numbers = (row ?? '').split(' ').slice(2).map(Number)
    expect(numbers).toEqual(place.split(' ').map(Number))
  })

  test.each<[string, string]>([
    ['37,60,0,126,0,0', 'latitude must have minutes and seconds from 0 to below 60: 37 60 0'],
    ['37,0,0,126,0,60', 'longitude must have minutes and seconds from 0 to below 60: 126 0 60'],
    ['37,-3,0,126,0,0', 'latitude must have minutes and seconds from 0 to below 60'],
    ['37.5,30,,126,0,0', 'latitude has a fraction before a smaller unit: 37.5 30'],
    ['37,30.5,1,126,0,0', 'latitude has a fraction before a smaller unit'],
    ['x,30,1,126,0,0', 'latitude must have a number of degrees: x 30 1'],
    [',,,126,0,0', 'latitude is required'],
    ['91,0,0,126,0,0', 'latitude must be from -90 to 90'],
  ])('%s is a bad row', async (cells, reason) => {
    const [row] = await read('a.csv', `${PARTS_HEADER}1,A,${cells}\n`, PARTS)
    expect(row).toContain(`2: ${reason}`)
  })

  test.each<[string, string]>([
    ['33.4,S,70.6,W', '-33.4 -70.6'],
    ['33.4,s,70.6,w', '-33.4 -70.6'],
    ['37.5,N,127,E', '37.5 127'],
    ['37.5,북위,127,동경', '37.5 127'],
    ['37.5,남,127,서', '-37.5 -127'],
    ['48.1,Nord,11.5,Ost', '48.1 11.5'],
    ['33.4,Sur,70.6,Oeste', '-33.4 -70.6'],
    ['33.4,Süd,70.6,West', '-33.4 -70.6'],
    ['48.8,nord,2.3,ouest', '48.8 -2.3'],
    ['-33.4,S,-70.6,W', '-33.4 -70.6'],
    ['-33.4,,-70.6,', '-33.4 -70.6'],
  ])('with a side: %s is %s', async (cells, place) => {
    expect(await read('a.csv', `${SIDES_HEADER}1,A,${cells}\n`, SIDES)).toEqual([`1 A ${place}`])
  })

  test('has one side in all rows', async () => {
    const west = mapped({ latitude: 'lat', longitude: { degrees: 'lon', hemisphere: { value: 'W' } } })
    expect(await read('a.csv', 'id,name,lat,lon\n1,A,33.4,70.6\n', west)).toEqual(['1 A 33.4 -70.6'])
  })

  test.each<[string, string]>([
    ['33.4,E,70.6,W', 'latitude must have the hemisphere N or S: 33.4 E'],
    ['33.4,,70.6,W', 'latitude must have the hemisphere N or S: 33.4'],
    ['-33.4,N,70.6,W', 'latitude has the sign - and another hemisphere: -33.4 N'],
    [
      '33.4,S,70.6,O',
      'longitude has the hemisphere O, which is east in German and west in French and Spanish; write E or W',
    ],
  ])('with a side that is not clear: %s is a bad row', async (cells, reason) => {
    expect((await read('a.csv', `${SIDES_HEADER}1,A,${cells}\n`, SIDES))[0]).toContain(`2: ${reason}`)
  })

  test('is no source of another field', async () => {
    await expect(read('a.csv', 'id\n', mapped({ telephone: { degrees: 'x' } }))).rejects.toThrow('takes no degrees')
  })
})

const HEADER = 'id,name,lat,lon,note\n'
const place = (n: number, note = '') => `${n},P${n},${n}.5,${n}.25,${note}\n`

describe('The cells of a row', () => {
  test.each<[string, string, string, string[]]>([
    ['empty ones beyond the header', 'a.csv', `${HEADER}${place(1, ',,')}`, ['1 P1 1.5 1.25']],
    [
      'missing ones at the end',
      'a.csv',
      `${HEADER}1,P1,1.5,1.25\n2,P2,2.5,2.25\n${place(3)}`,
      [
        ...['1 P1 1.5 1.25', '2 P2 2.5 2.25', '3 P3 3.5 3.25'],
        'W 2: 2 rows have fewer cells than the header; the missing ones at the end count as empty',
      ],
    ],
    ['others beyond the header', 'a.csv', `${HEADER}${place(1, ',x')}`, ['2: has 6 cells, and the header 5']],
    [
      'two stray quotes in TSV',
      'a.tsv',
      `${HEADER}${place(1, '"x')}${place(2, 'y"')}`.replaceAll(',', '\t'),
      [
        'W 2: a cell has as many separators as a row, so a quote that does not close may have made one row of several: cell 5, line 2 to 3',
        '1 P1 1.5 1.25',
      ],
    ],
    ['a line feed in a cell', 'a.csv', `${HEADER}${place(1, '"x, y\nz"')}`, ['1 P1 1.5 1.25']],
    [
      '="text" and \\N',
      'a.csv',
      `${HEADER}="01","=""A ""\u00221.5,1.25,\\N\n`.replace('"1.5', '",1.5'),
      ['01 A  1.5 1.25'],
    ],
  ])('%s', async (_what, name, content, expected) => {
    const entry = name.endsWith('tsv') ? { ...PLAIN, delimiter: '\t' } : PLAIN
    expect(await read(name, content, entry)).toEqual(expected)
  })

  test.each(['N/A', 'None', 'Err:502', '없음', '&#48512;&#49328;', '\\ubd80산', '1E+09', '2.12555E+09', "'02139"])(
    '%s is shown',
    async (text) => {
      const columns = mapped({ latitude: 'lat', longitude: 'lon', telephone: 'note' })
      const said = await read('a.csv', HEADER + place(1, text) + place(2, text), columns)
      expect(said.filter((line) => line.startsWith('W ')).join()).toContain(text)
    },
  )
})

describe('The reason names what is wrong:', () => {
  test.each<[string, string, object, string]>([
    ['only the longitude', '1,A,48.1,x,\n', {}, '2: longitude must be a decimal number: x (column lon)'],
    [
      'only the longitude, in metres',
      '1,A,5334780,x,\n',
      { crs: 'EPSG:25832' },
      '2: longitude must be a decimal number: x',
    ],
    ['a decimal comma beside points', '1,A,"48,8606",2.3,\n', {}, '2: latitude must be a decimal number; if its comma'],
    [
      'WKT elsewhere',
      '1,A,SRID=949900;POINT(1 2),2.3,\n',
      {},
      'and is a geometry in the reference system 949900: SRID',
    ],
  ])('%s', async (_what, row, dialect, reason) => {
    expect((await read('a.csv', HEADER + row, { ...PLAIN, ...dialect }))[0]).toContain(reason)
  })

  test.each(['12', '1.5', '37.5;x'])('a pair has two numbers: %s', async (text) => {
    const entry = mapped({ latitude: 'location', longitude: 'location' })
    expect((await read('a.csv', `id,name,location\n1,A,${text}\n`, entry))[0]).toContain(
      '2: latitude must be one of two numbers in one cell',
    )
    expect(await read('a.csv', 'id,name,location\n1,A,POINT(127 37)\n', entry)).toEqual(['1 A 37 127'])
  })
})

test('several zones in a file of one reference system are said, once', async () => {
  const text =
    'id,name,zone,lat,lon\n1,A,32,5334780,691603\n2,B,32,5334780,691603\n3,C,33,5334780,691603\n4,D,31,5334780,691603\n'
  const said = await read('a.csv', text, { ...PLAIN, crs: 'EPSG:25832' })
  expect(said.filter((line) => line.startsWith('W '))).toEqual([
    expect.stringMatching(/^W 4: the column zone has several zones, .* of each zone: 32 and 33$/),
  ])
})

const collection = (more: object, count = 2) =>
  JSON.stringify({
    type: 'FeatureCollection',
    ...more,
    features: Array.from({ length: count }, (_, n) => ({
      ...{ type: 'Feature', id: n, properties: { name: `P${n}` }, geometry: { type: 'Point', coordinates: [1, 2] } },
    })),
  })

describe('A part of a collection', () => {
  const entry = mapped({ externalId: 'externalId', latitude: 'latitude', longitude: 'longitude' })
  test.each<[object, string | undefined]>([
    [{ exceededTransferLimit: true }, 'it has 2 features and says that there are more'],
    [{ properties: { exceededTransferLimit: true } }, 'it has 2 features and says that there are more'],
    [{ numberMatched: 5, numberReturned: 2 }, 'it has 2 features of 5'],
    [{ totalFeatures: 7 }, 'it has 2 features of 7'],
    [{ links: [{ rel: 'self' }, { rel: 'next', href: 'x' }] }, 'it has 2 features and says that there are more'],
    [{ numberMatched: 2, numberReturned: 2, totalFeatures: 'unknown', links: [{ rel: 'self' }] }, undefined],
    [{ exceededTransferLimit: false }, undefined],
  ])('%j', async (more, said) => {
    const found = await read('a.geojson', collection(more), entry)
    expect(found.slice(0, 2)).toEqual(['0 P0 2 1', '1 P1 2 1'])
    expect(found.slice(2)).toEqual(
      said === undefined ? [] : [`W 1: is a part of a collection: ${said}; get the other pages too`],
    )
  })
})

describe('An encoding whose bytes are ASCII, or that has no mark,', () => {
  const text = `${HEADER}1,東京タワー,35.6,139.7,\n2,大阪城,34.6,135.5,\n`
  const jis = execFileSync('iconv', ['-f', 'utf-8', '-t', 'iso-2022-jp'], { input: text })
  const korean = text.replace('東京タワー', '부산타워').replace('id,name', '번호,이름').replace('大阪城', '서울')
  test.each<[string, Buffer, string]>([
    ['iso-2022-jp', jis, text],
    ['utf-7', iconv.encode(text, 'utf-7'), text],
    ['utf-16le', iconv.encode(korean, 'utf-16le', { addBOM: false }), korean],
    ['utf-16be', iconv.encode(korean, 'utf-16be', { addBOM: false }), korean],
  ])('%s is named, and read', async (encoding, bytes, content) => {
    const isKorean = content === korean
    const entry = isKorean ? mapped({ externalId: '번호', name: '이름', latitude: 'lat', longitude: 'lon' }) : PLAIN
    expect(await read('a.csv', bytes, entry)).toEqual([
      `a.csv: is not UTF-8 but ${encoding.toUpperCase()}; in the manifest, add "encoding": "${encoding}" to the entry of a.csv`,
    ])
    expect(await read('a.csv', bytes, { ...entry, encoding })).toEqual(await read('a.csv', content, entry))
  })

  test.each<[string, string, string]>([
    ['ISO-2022-KR', '\x1b$)C\x0e:N;j\x0f', 'convert it: iconv -f ISO-2022-KR -t UTF-8 a.csv > FILE'],
    ['HZ', '~{VPND~}', 'save it as UTF-8 with the program that wrote it'],
  ])('%s is refused by its name', async (name, text, remedy) => {
    expect((await read('a.csv', `${HEADER}1,${text},1,2,\n`, PLAIN)).join()).toContain(
      `is not UTF-8 but ${name}; ${remedy}`,
    )
  })

  test('is not taken for one', async () => {
    const names = ['C++ -x', 'A+Bcd-x', '+82-10-1234-', 'a+b-c', 'x+Abc-y']
    const said = await read('a.csv', HEADER + names.map((name, n) => `${n},${name},1,2,\n`).join(''), PLAIN)
    expect(said).toHaveLength(names.length)
  })
})

/** Whether a program is there, which a remedy uses. */
const has = (program: string) => {
  try {
    execFileSync('which', [program])
    return true
  } catch {
    return false
  }
}

const POINTS = [
  { id: 1, name: 'A', lat: 1.5, lon: 2.5 },
  { id: 2, name: 'B', lat: 3.5, lon: 4.5 },
]
const LINES = ['1 A 1.5 2.5', '2 B 3.5 4.5']

describe('What is no data is said, with the command that helps:', () => {
  const esri = {
    features: POINTS.map(({ lat: y, lon: x, ...attributes }) => ({ attributes, geometry: { x, y } })),
  }
  test.each<[string, string, string | Buffer, string, object?]>([
    ['a list', 'a.json', JSON.stringify(POINTS), '.[]'],
    ['a list that is called NDJSON', 'b.ndjson', JSON.stringify(POINTS, undefined, 1), '.[]'],
    ['records', 'c.json', JSON.stringify({ records: POINTS }), '.records[]'],
    ['elements', 'd.json', JSON.stringify({ version: 0.6, elements: POINTS }), '.elements[]'],
    ['data in response', 'e.json', JSON.stringify({ response: { 'my data': POINTS, n: 2 } }), 'my data'],
    [
      'Esri JSON',
      'f.json',
      JSON.stringify(esri),
      '.attributes',
      mapped({ latitude: 'latitude', longitude: 'longitude' }),
    ],
    ['packed records', 'g.json.gz', gzipSync(JSON.stringify({ records: POINTS })), '.records[]'],
    ['a name with a space', 'h i.json', JSON.stringify(POINTS), "'h i.json'"],
  ])('%s', async (_what, name, content, part, entry = PLAIN) => {
    const [message = ''] = await read(name, content, entry)
    expect(message).toContain(part)
    const [, command = '', output = ''] = /: ((?:gunzip|jq) .* > ('[^']*'|\S+))$/.exec(message) ?? []
    expect(command).not.toBe('')
    if (!has('jq')) return
    execFileSync('sh', ['-c', command], { cwd: folder })
    const file = output.replaceAll("'", '')
    expect(await read(file, readFileSync(join(folder, file)), entry)).toEqual(LINES)
  })

  test.each<[string, string, string | Buffer, string]>([
    ['a page', 'a.csv', '<!DOCTYPE html>\n<html>', 'is a page of a website and no data'],
    ['a page as a spreadsheet', 'a.xlsx', '<!DOCTYPE html>\n<html>', 'is a page of a website and no data'],
    ['JSON as CSV', 'a.csv', '[{"id":1}]', 'is JSON; name it a.json'],
    [
      'JSON over lines as NDJSON',
      'a.ndjson',
      '{\n "id": 1\n}\n',
      'is JSON over several lines; write each object to one: jq -c',
    ],
    ['an error', 'a.geojson', '{ "error": { "code": 498 } }', 'is the message of an error and no data'],
    ['a pointer', 'a.csv', 'version https://git-lfs.github.com/spec/v1\noid sha256:1\n', 'git lfs pull'],
    [
      'gzip twice',
      'a.csv.gz',
      gzipSync(gzipSync(HEADER)),
      'is packed twice; unpack it once: gunzip -c a.csv.gz > once-a.csv.gz',
    ],
    ['Zstandard', 'a.csv.zst', Buffer.from('28b52ffd', 'hex'), 'unpack it: zstd -d a.csv.zst'],
    ['Zstandard that is not called so', 'a.csv', Buffer.from('28b52ffd', 'hex'), 'zstd -d -o unpacked-a.csv a.csv'],
    ['an archive', 'a.tar.gz', gzipSync('x'), 'unpack it: tar -xf a.tar.gz'],
    ['a table of dBase', 'a.dbf', 'x', 'ogr2ogr -f CSV a.csv a.dbf'],
    ['GeoParquet', 'a.geoparquet', 'PAR1', 'ogr2ogr -t_srs EPSG:4326 a.geojson a.geoparquet'],
    ['TopoJSON', 'a.topojson', '{}', 'ogr2ogr -t_srs EPSG:4326 a.geojson a.topojson'],
    ['TopoJSON that is called JSON', 'a.json', '{"type":"Topology"}', 'is TopoJSON; convert it with GDAL'],
    ['GeoJSON that is called JSON', 'a.json', '{"type":"FeatureCollection","features":[]}', 'mv a.json a.geojson'],
    ['JSON without rows', 'a.json', '{"a":1}', 'is JSON, and has no list of objects'],
  ])('%s', async (_what, name, content, remedy) => {
    expect((await read(name, content, PLAIN)).join()).toContain(remedy)
  })

  test('an address', async () => {
    const { files } = parseManifest('m.json', JSON.stringify({ dataset: DATASET, items: 'https://a.example/x.csv' }))
    const first = async () => {
      for (const file of files) for await (const row of rows(file)) return row
    }
    await expect(first()).rejects.toThrow('download the file first: curl -fLO https://a.example/x.csv')
  })

  test('columns that are separated by another sign', async () => {
    expect(await read('a.csv', 'id;name\n1;A\n', PLAIN)).toEqual([
      expect.stringContaining('its columns are separated by semicolons; in the manifest, add "delimiter": ";"'),
    ])
  })
})
