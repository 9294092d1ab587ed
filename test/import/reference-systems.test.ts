import { expect, test } from 'vitest'
import { guessCrs } from '../../src/init/guess-crs.ts'
import { findReferenceSystem } from '../../src/rows/reference-system.ts'
import proj from './data/places-of-proj.json' with { type: 'json' }

const METRES_PER_DEGREE = 111_195

test.each<[string, number, number[][]]>([
  ['to 11 cm', 0.11, proj.exact],
  ['to 11 m, where the datum differs within the country', 11, proj.others],
])('coordinates of each kind of system become those of PROJ %s', (_, tolerance, places) => {
  const far = places.filter(([number, x = 0, y = 0, longitude = 0, latitude = 0]) => {
    const degrees = findReferenceSystem(`EPSG:${number}`)?.toDegrees(x, y)
    const north = (degrees?.latitude ?? 999) - latitude
    const east = ((degrees?.longitude ?? 999) - longitude) * Math.cos((latitude * Math.PI) / 180)
    return Math.hypot(north, east) * METRES_PER_DEGREE > tolerance
  })
  expect(far).toEqual([])
})

test.each([
  ['EPSG:54003', 'proj4 ignores its sphere'],
  ['EPSG:102400', 'its datum is its own'],
  ['EPSG:104050', 'its datum is its own'],
])('%s is unknown, because %s', (code) => {
  expect(findReferenceSystem(code)).toBeUndefined()
})

test('EPSG:900913 is EPSG:3857, which has all places', () => {
  const system = findReferenceSystem('EPSG:900913')
  const place = system?.toDegrees(14137575.331, 4509031.393)
  expect([system?.code, place && system?.contains(place)]).toEqual(['EPSG:3857', true])
})

test.each<[string, number, number, string, string, number]>([
  ['New Zealand', 1749146, 5427448, 'Easting,Northing,name', '', 2193],
  ['Taipei', 306000, 2770000, 'x,y,name', '', 3826],
  ['New York in feet', 984247.6, 212213.9, 'x,y,name', '', 2263],
  ['Sweden with north first', 6580822, 674032, 'x,y,namn', '', 3006],
  ['Poland with north first', 486677, 638950, 'x,y,nazwa', '', 2180],
  ['Poland in zone 7 with north first', 5788000, 7500000, 'x,y,nazwa', '', 2178],
  ['Munich in Gauss-Krüger with north first', 5333349.496, 4468512.933, 'x,y,name', '', 31468],
  ['New Zealand with a word that begins like a country', 1749146, 5427448, 'x,y,name', 'The Croatians', 2193],
  ['Spain', 440291, 4474254, 'x,y,nombre', '', 25830],
  ['Tokyo with north first', -35367.23, -5995.185, 'X座標,Y座標,名称', '', 6677],
  ['Hong Kong', 835559.5, 815681, 'easting,northing,name', '維多利亞港 灣仔區', 2326],
  ['Austria', 625633.4, 483376.1, 'x,y,Bezeichnung', 'Wien, Österreich', 31287],
  ['Romania with north first', 326177.2, 587700.4, 'x,y,denumire', '', 3844],
  ['Israel', 219983, 630814.6, 'x,y,שם', '', 2039],
  ['Ireland', 715845.9, 734720.3, 'ITM_E,ITM_N,name', 'Dublin', 2157],
  ['Hungary with north first', 240675, 652452.3, 'x,y,név', 'Hősök tere', 23700],
  ['Greece', 476138.6, 4203342.4, 'x,y,όνομα', '', 2100],
  ['Australia by its name', 334873, 6252290, 'x,y,name', 'Opera House, Sydney, Australia', 28356],
])(
  'metres of %s are a guess, and the right system is the first or an alternative',
  (_what, x, y, names, text, number) => {
    const columns = { longitude: 'x', latitude: 'y' }
    const guess = guessCrs({ names: names.split(','), text, columns }, [{ x, y }])
    expect(guess?.code).toBe(`EPSG:${number}`)
    const alternatives = guess?.inference?.alternatives.map(({ example }) => example) ?? []
    expect(alternatives.length).toBeGreaterThan(0)
    expect(new Set(alternatives).size).toBe(alternatives.length)
  },
)

test('a name of a zone proves a system only if it is on one side of the equator', () => {
  const columns = { longitude: 'x', latitude: 'y' }
  const find = (name: string) => guessCrs({ names: [name], text: '', columns }, [{ x: 691603, y: 5334780 }])
  expect(find('utm32n.csv')).toEqual({ code: 'EPSG:25832', isSwapped: false, inference: undefined })
  expect(find('epsg25832.csv')?.inference).toBeUndefined()
  expect(find('utm55.csv')?.inference).toBeDefined()
  expect(find('places_25832.csv')).toMatchObject({ code: 'EPSG:25832', inference: { what: 'crs' } })
})
