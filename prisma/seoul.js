// Water and districts of Seoul, the city of the sample, which Natural Earth lacks. Drawn by hand, exact to about 200 m.

const METRES_IN_DEGREE = 111_320

/** The middle of the Han (longitude, latitude), and half its width in metres, from the dam of Paldang to the estuary. */
const HAN = points(`
  127.279 37.528 300, 127.25 37.546 330, 127.222 37.56 400, 127.203 37.5705 450, 127.182 37.5775 430, 127.159 37.5755 420, 127.137
  37.5675 380, 127.122 37.558 360, 127.1135 37.544 330, 127.106 37.535 400, 127.096 37.5255 450, 127.081 37.522 470, 127.064
  37.5255 430, 127.05 37.5315 430, 127.035 37.5365 450, 127.023 37.5335 450, 127.013 37.5265 440, 127.006 37.5185 470, 126.9965
  37.513 510, 126.982 37.51 540, 126.968 37.5115 480, 126.958 37.517 470, 126.9485 37.5265 520, 126.937 37.5345 540, 126.9205
  37.5395 480, 126.9035 37.5445 440, 126.892 37.552 460, 126.878 37.561 500, 126.861 37.571 530, 126.839 37.583 530, 126.81 37.599
  500, 126.787 37.613 450, 126.757 37.633 480, 126.735 37.647 450`)

/** Jungnangcheon, Cheonggyecheon, Anyangcheon, Tancheon, Yangjaecheon. */
const STREAMS = [
  points(
    `127.045 37.74, 127.042 37.7, 127.05 37.67, 127.06 37.645, 127.067 37.62, 127.073 37.6, 127.07 37.58, 127.062 37.565, 127.047 37.552, 127.03 37.5475, 127.02 37.535`,
  ),
  points(`126.978 37.5692, 127 37.5697, 127.024 37.5703, 127.036 37.567, 127.047 37.557, 127.047 37.552`),
  points(
    `126.93 37.39, 126.91 37.42, 126.899 37.45, 126.886 37.478, 126.879 37.5, 126.876 37.52, 126.878 37.54, 126.883 37.556`,
  ),
  points(
    `127.11 37.36, 127.115 37.4, 127.12 37.44, 127.112 37.48, 127.095 37.494, 127.077 37.499, 127.071 37.508, 127.068 37.524`,
  ),
  points(`127.02 37.445, 127.036 37.466, 127.05 37.482, 127.066 37.492, 127.077 37.499`),
]

const DISTRICTS = `
  Dobong-gu 127.032 37.669, Dongdaemun-gu 127.055 37.582, Dongjak-gu 126.952 37.499, Eunpyeong-gu 126.927 37.619, Gangbuk-gu
  127.011 37.643, Gangdong-gu 127.147 37.55, Gangnam-gu 127.063 37.497, Gangseo-gu 126.823 37.561, Geumcheon-gu 126.901 37.46,
  Guro-gu 126.856 37.494, Gwanak-gu 126.945 37.467, Gwangjin-gu 127.086 37.546, Jongno-gu 126.977 37.594, Jung-gu 126.996 37.56,
  Jungnang-gu 127.093 37.598, Mapo-gu 126.908 37.559, Nowon-gu 127.075 37.653, Seocho-gu 127.031 37.473, Seodaemun-gu 126.939
  37.578, Seongbuk-gu 127.018 37.606, Seongdong-gu 127.041 37.551, Songpa-gu 127.115 37.505, Yangcheon-gu 126.855 37.525,
  Yeongdeungpo-gu 126.91 37.522, Yongsan-gu 126.98 37.531`

/** Returns the Han between its banks as the rings of a GeoJSON polygon. */
export function hanRiver() {
  const middle = smooth(smooth(HAN))
  const banks = middle.map(([x, y, halfWidth], i) => {
    const [[fromX, fromY], [toX, toY]] = [middle[Math.max(i - 1, 0)], middle[Math.min(i + 1, middle.length - 1)]]
    const shrink = Math.cos((y * Math.PI) / 180)
    const [east, north] = [(toX - fromX) * shrink, toY - fromY]
    const scale = halfWidth / METRES_IN_DEGREE / Math.hypot(east, north)
    const [stepX, stepY] = [(-north * scale) / shrink, east * scale]
    return { left: [x + stepX, y + stepY], right: [x - stepX, y - stepY] }
  })
  const ring = [...banks.map(({ left }) => left), ...banks.map(({ right }) => right).reverse()]
  return [[...ring, ring[0]]]
}

/** Returns the streams as a GeoJSON geometry. */
export function seoulStreams() {
  return { type: 'MultiLineString', coordinates: STREAMS.map((line) => smooth(smooth(line))) }
}

/** Returns a point with the name of each district as GeoJSON features. */
export function seoulDistricts() {
  return DISTRICTS.split(',').map((text) => {
    const [name, ...coordinates] = text.trim().split(/\s+/)
    return { type: 'Feature', properties: { name }, geometry: { type: 'Point', coordinates: coordinates.map(Number) } }
  })
}

function points(text) {
  return text.split(',').map((point) => point.trim().split(/\s+/).map(Number))
}

/** Cuts each corner of a line (Chaikin). */
function smooth(line) {
  const between = (a, b, share) => a.map((value, i) => value + (b[i] - value) * share)
  const cut = line.slice(1).flatMap((to, i) => [between(line[i], to, 0.25), between(line[i], to, 0.75)])
  return [line[0], ...cut.slice(1, -1), line.at(-1)]
}
