import { expect, test } from 'vitest'
import { guessCrs } from '../../src/import/init/guess-crs.ts'
import { findReferenceSystem } from '../../src/import/reference-system.ts'

/** Each line has the number of a system, and coordinates in it that PROJ 9.1 makes of the longitude and the latitude after them. */
const PLACES = `
  2039 219982.95 630814.613 35.21 31.77
  2100 476138.586 4203342.44 23.73 37.98
  2157 715845.936 734720.331 -6.26 53.35
  2326 835559.542 815681.069 114.17 22.28
  3844 587700.429 326177.222 26.1 44.43
  23700 652452.267 240675.078 19.08 47.51
  31287 625633.384 483376.119 16.37 48.21
  2056 2600104.109 1199879.628 7.44 46.95
  2154 652310.718 6862414.637 2.35 48.86
  2180 637231.09 486786.394 21.01 52.23
  2176 5506882.563 5751778.715 15.1 51.9
  2177 6429959.466 5663250.277 17.0 51.1
  2178 7424103.725 5547631.97 19.94 50.06
  2179 8443779.159 5888963.996 23.16 53.13
  2193 1749045.803 5427521.383 174.78 -41.29
  2263 989791.457 212522.519 -73.98 40.75
  2443 34671.509 -27662.224 129.87 32.75
  2451 -5732.774 -35500.534 139.77 35.68
  3006 674647.882 6580824.576 18.07 59.33
  3011 153984.707 6579432.512 18.07 59.33
  3035 4321000.0 2987510.567 10 50
  3059 506082.931 311824.626 24.1 56.95
  3067 385700.421 6672126.743 24.94 60.17
  3301 542555.357 6589368.181 24.75 59.44
  3346 582524.028 6062260.637 25.28 54.69
  3395 14137575.331 4483017.17 127 37.5
  3414 29856.5 30267.171 103.85 1.29
  3763 -87567.123 -104793.555 -9.14 38.72
  3765 459585.49 5074591.534 15.98 45.81
  3812 648679.018 671067.056 4.35 50.85
  3826 306513.246 2769217.275 121.56 25.03
  3857 14137575.331 4509031.393 127 37.5
  3946 1842346.06 5174961.791 4.83 45.76
  4326 127.0 37.5 127 37.5
  5041 2380651.707 954168.029 20 80
  5110 113987.851 1212789.515 10.75 59.91
  5174 199930.383 450858.163 127 37.56
  5179 955840.205 1951300.374 127 37.56
  5186 200000.0 551163.38 127 37.56
  5514 -743011.723 -1043823.181 14.42 50.08
  5514 -573500.681 -1280184.475 17.11 48.15
  5880 5653463.734 8243016.222 -47.9 -15.8
  6677 -5732.774 -35500.534 139.77 35.68
  6989 35.2093029 31.7696308 35.21 31.77
  6991 219982.95 630814.613 35.21 31.77
  7416 562366.63 6206530.811 10 56
  21781 600104.109 199879.628 7.44 46.95
  23029 487950.817 4285918.255 -9.14 38.72
  23029 523227.058 4676676.626 -8.72 42.24
  23030 440724.748 4474817.428 -3.7 40.42
  23031 430703.044 4582589.137 2.17 41.39
  23032 724518.478 6176449.392 12.57 55.68
  23033 438538.297 4522551.175 14.27 40.85
  23034 739836.182 4207294.862 23.73 37.98
  23035 666543.015 4541943.096 28.98 41.01
  25829 523101.604 4676461.655 -8.72 42.24
  25830 440615.662 4474610.02 -3.7 40.42
  25832 691928.086 5335080.209 11.58 48.14
  27700 425065.062 564000.594 -1.61 54.97
  28350 392259.362 6464539.164 115.86 -31.95
  28992 121819.365 487013.762 4.9 52.37
  29902 315919.995 234694.102 -6.26 53.35
  29903 315919.995 234694.102 -6.26 53.35
  30169 -5439.581 -35856.314 139.77 35.68
  31256 2814.281 341289.389 16.37 48.21
  31370 148679.447 171066.81 4.35 50.85
  31466 2567519.487 5645410.867 6.96 50.94
  31467 3513304.182 5404737.975 9.18 48.78
  31468 4468849.432 5333636.762 11.58 48.14
  31469 5411784.661 5657957.922 13.74 51.05
  31983 684623.673 7466421.401 -43.2 -22.9
  32633 601779.329 5340548.617 16.37 48.21
  32652 502734.215 3884133.188 129.03 35.1
  32755 693716.579 6093825.019 149.13 -35.28
  4647 32691928.086 5335080.209 11.58 48.14
  3079 622731.234 239930.958 -84.5 42.7
  4490 116.4 39.9 116.4 39.9
  4547 428285.956 2555783.929 113.3 23.1
  5387 279014.367 8667099.929 -77.03 -12.05
  9377 4881375.82 2078540.442 -74.07 4.71
  3116 1000832.974 1012584.143 -74.07 4.71
`
  .trim()
  .split('\n')
  .map((line) => line.trim().split(' ').map(Number))

const METRES_PER_DEGREE = 111_195
/** Of ED50 in Portugal and Turkey. Nearly all others are exact to a metre. */
const TOLERANCE_METRES = 11

test('coordinates of each kind of system become those of PROJ', () => {
  const far = PLACES.filter(([number, x = 0, y = 0, longitude = 0, latitude = 0]) => {
    const degrees = findReferenceSystem(`EPSG:${number}`)?.toDegrees(x, y)
    const north = (degrees?.latitude ?? 999) - latitude
    const east = ((degrees?.longitude ?? 999) - longitude) * Math.cos((latitude * Math.PI) / 180)
    return Math.hypot(north, east) * METRES_PER_DEGREE > TOLERANCE_METRES
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
