import { expect, test } from 'vitest'
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

test.each(['urn:ogc:def:crs:EPSG::25832', 'http://www.opengis.net/def/crs/EPSG/0/25832'])(
  '%s is a name of EPSG:25832',
  (name) => {
    expect(findReferenceSystem(name)?.code).toBe('EPSG:25832')
    expect(findReferenceSystem('urn:ogc:def:crs:OGC:1.3:CRS84')?.code).toBe('EPSG:4326')
  },
)
