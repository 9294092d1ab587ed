// Water, parks, main roads and districts of Seoul, the city of the sample, which Natural Earth lacks. Drawn by hand, exact to about
// 200 m.

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

/** Mountains: Bukhansan, Dobongsan, Suraksan, Buramsan, Bugaksan, Inwangsan, Ansan, Namsan, Achasan, Gwanaksan, Umyeonsan, Guryongsan. */
const PARKS = [
  `126.951 37.608, 126.984 37.612, 127.002 37.626, 127.008 37.655, 127.024 37.672, 127.037 37.69, 127.03 37.71, 126.998 37.712, 126.972
  37.69, 126.948 37.66, 126.937 37.63`,
  `127.066 37.682, 127.086 37.678, 127.1 37.695, 127.094 37.716, 127.074 37.714`,
  `127.083 37.648, 127.096 37.645, 127.106 37.66, 127.1 37.674, 127.086 37.668`,
  `126.964 37.589, 126.978 37.588, 126.993 37.594, 126.987 37.605, 126.966 37.603`,
  `126.951 37.577, 126.96 37.576, 126.965 37.585, 126.958 37.594, 126.951 37.588`,
  `126.939 37.573, 126.95 37.573, 126.95 37.584, 126.939 37.583`,
  `126.979 37.5495, 126.986 37.5435, 127.002 37.546, 127.004 37.5535, 126.99 37.5575, 126.982 37.5555`,
  `127.091 37.556, 127.105 37.55, 127.112 37.566, 127.104 37.587, 127.093 37.586, 127.096 37.57`,
  `126.918 37.444, 126.93 37.425, 126.96 37.418, 126.99 37.432, 126.988 37.456, 126.967 37.467, 126.944 37.459, 126.925 37.462`,
  `126.997 37.462, 127.012 37.458, 127.022 37.468, 127.013 37.477, 126.999 37.475`,
  `127.052 37.463, 127.07 37.466, 127.09 37.474, 127.086 37.482, 127.066 37.478, 127.05 37.472`,
  // Parks: Gyeongbokgung, Changdeokgung with Jongmyo, Seoul Forest, Children's Grand Park, Olympic Park, Haneul and Noeul, Peace
  // Park, Yeouido, Boramae, Dream Forest, Seonjeongneung, Yongsan Family Park.
  `126.9735 37.576, 126.98 37.576, 126.98 37.5845, 126.9735 37.5845`,
  `126.99 37.572, 126.997 37.572, 126.9975 37.5825, 126.991 37.5845, 126.989 37.579`,
  `127.032 37.541, 127.042 37.539, 127.046 37.546, 127.038 37.549`,
  `127.0755 37.545, 127.0865 37.5455, 127.088 37.552, 127.077 37.5535`,
  `127.11 37.515, 127.124 37.5125, 127.131 37.519, 127.123 37.5265, 127.112 37.522`,
  `126.868 37.576, 126.879 37.566, 126.892 37.561, 126.895 37.566, 126.883 37.5725, 126.874 37.579`,
  `126.889 37.5665, 126.898 37.561, 126.9 37.566, 126.893 37.5695`,
  `126.9195 37.5295, 126.926 37.522, 126.928 37.523, 126.9215 37.531`,
  `126.915 37.49, 126.923 37.49, 126.923 37.496, 126.915 37.496`,
  `127.036 37.617, 127.046 37.617, 127.047 37.624, 127.037 37.624`,
  `127.0455 37.506, 127.052 37.506, 127.052 37.5115, 127.0455 37.5115`,
  `126.977 37.5185, 126.987 37.519, 126.986 37.526, 126.978 37.525`,
].map(points)

/** The distance in metres between a bank of the Han and the motorway along it. */
const BANK_ROAD_METRES = 120

/** Main roads, through stations of the underground. */
const ROADS = [
  // Jong-ro and Cheonho-daero; Cheonggye and Wangsimni-ro.
  `126.954 37.56, 126.9637 37.5598, 126.968 37.566, 126.9769 37.57, 126.992 37.5704, 127.002 37.5709, 127.0095 37.5713, 127.0245
  37.5752, 127.04 37.5745, 127.065 37.5665, 127.079 37.557, 127.1035 37.545, 127.1235 37.5387, 127.15 37.536`,
  `127.0095 37.5655, 127.0195 37.5645, 127.0378 37.5612, 127.044 37.555, 127.0475 37.547, 127.0405 37.5365, 127.041 37.5275, 127.0495
  37.5045, 127.055 37.491, 127.06 37.478`,
  // Sejong-daero, Hangang-daero and Dongjak-daero; Tongil-ro; Toegye-ro.
  `126.9769 37.575, 126.9772 37.5657, 126.9753 37.56, 126.9715 37.5547, 126.972 37.541, 126.9731 37.5348, 126.9675 37.529, 126.9605
  37.519, 126.955 37.512, 126.943 37.5128, 126.928 37.5135, 126.9076 37.5157, 126.8913 37.5088, 126.8818 37.503, 126.845 37.4945,
  126.81 37.4875`,
  `126.9731 37.5348, 126.985 37.522, 126.9815 37.5065, 126.9822 37.487, 126.9816 37.4766, 126.989 37.463, 126.994 37.442`,
  `126.9715 37.5547, 126.9665 37.5658, 126.9577 37.5746, 126.944 37.589, 126.9355 37.6015, 126.93 37.61, 126.921 37.619, 126.9187
  37.6367, 126.9 37.655`,
  `126.9715 37.5547, 126.9785 37.5587, 126.9943 37.5612, 127.0085 37.5652, 127.0195 37.5655`,
  // Sinchon-ro; Mapo-daero to Yeouido; Seongsan-ro.
  `126.9637 37.5598, 126.9561 37.5574, 126.9369 37.5552, 126.9245 37.557, 126.9145 37.5495, 126.9 37.541, 126.8965 37.5345, 126.8945
  37.5245, 126.8913 37.5088, 126.894 37.494, 126.9015 37.4852`,
  `126.9637 37.5598, 126.9515 37.544, 126.9455 37.5395, 126.937 37.533, 126.9245 37.5217, 126.917 37.5155, 126.926 37.5, 126.9295
  37.4842`,
  // Gangnam-daero from Namsan; Gyeongbu Expressway; Banpo-daero.
  `126.9945 37.5595, 127.0035 37.551, 127.0075 37.535, 127.013 37.5245, 127.0203 37.5164, 127.0215 37.5111, 127.025 37.5046, 127.0276
  37.4979, 127.0343 37.4842, 127.0385 37.47, 127.0445 37.4585`,
  `127.013 37.5245, 127.0135 37.512, 127.0165 37.5, 127.0235 37.484, 127.034 37.471, 127.0445 37.4585, 127.066 37.432, 127.0905 37.41,
  127.1 37.385`,
  `126.985 37.534, 126.9945 37.522, 126.9965 37.51, 127.0045 37.5048, 127.0078 37.4918, 127.0117 37.479`,
  // Teheran-ro and Olympic-ro; Nambu Beltway; Dosan-daero.
  `127.0045 37.493, 127.0276 37.4979, 127.0365 37.5006, 127.049 37.5045, 127.0631 37.5088, 127.0735 37.511, 127.1001 37.5133, 127.1125
  37.518, 127.1235 37.5387`,
  `126.8385 37.55, 126.836 37.531, 126.84 37.508, 126.868 37.489, 126.9015 37.4852, 126.9295 37.4842, 126.9637 37.477, 126.9816
  37.4766, 126.9975 37.4815, 127.0162 37.485, 127.0343 37.4842, 127.0554 37.4909, 127.075 37.4935, 127.101 37.4874`,
  `127.0203 37.5164, 127.037 37.5225, 127.0475 37.5245, 127.0575 37.518, 127.0631 37.5088, 127.069 37.497`,
  // Dongil-ro and Dobong-ro.
  `127.057 37.53, 127.0655 37.545, 127.0745 37.565, 127.0775 37.59, 127.0735 37.617, 127.0655 37.637, 127.061 37.655, 127.055 37.68`,
  `126.9965 37.5715, 127.0018 37.5822, 127.0165 37.5925, 127.025 37.603, 127.03 37.6135, 127.0262 37.6266, 127.0257 37.637, 127.0346
  37.6486, 127.0455 37.6793, 127.046 37.7`,
].map(points)

const DISTRICTS = `
  Dobong-gu 127.032 37.669, Dongdaemun-gu 127.055 37.582, Dongjak-gu 126.952 37.499, Eunpyeong-gu 126.927 37.619, Gangbuk-gu
  127.011 37.643, Gangdong-gu 127.147 37.55, Gangnam-gu 127.063 37.497, Gangseo-gu 126.823 37.561, Geumcheon-gu 126.901 37.46,
  Guro-gu 126.856 37.494, Gwanak-gu 126.945 37.467, Gwangjin-gu 127.086 37.546, Jongno-gu 126.977 37.594, Jung-gu 126.996 37.56,
  Jungnang-gu 127.093 37.598, Mapo-gu 126.908 37.559, Nowon-gu 127.075 37.653, Seocho-gu 127.031 37.473, Seodaemun-gu 126.939
  37.578, Seongbuk-gu 127.018 37.606, Seongdong-gu 127.041 37.551, Songpa-gu 127.115 37.505, Yangcheon-gu 126.855 37.525,
  Yeongdeungpo-gu 126.91 37.522, Yongsan-gu 126.98 37.531`

/** Returns the Han between its banks as the rings of a GeoJSON polygon. */
export function hanRiver() {
  const [left, right] = besideHan(0)
  const ring = [...left, ...right.reverse()]
  return [[...ring, ring[0]]]
}

/** The lines on both sides of the Han, at a distance in metres from its banks. */
function besideHan(distance) {
  const middle = smooth(smooth(HAN))
  const pairs = middle.map(([x, y, halfWidth], i) => {
    const [[fromX, fromY], [toX, toY]] = [middle[Math.max(i - 1, 0)], middle[Math.min(i + 1, middle.length - 1)]]
    const shrink = Math.cos((y * Math.PI) / 180)
    const [east, north] = [(toX - fromX) * shrink, toY - fromY]
    const scale = (halfWidth + distance) / METRES_IN_DEGREE / Math.hypot(east, north)
    const [stepX, stepY] = [(-north * scale) / shrink, east * scale]
    return [
      [x + stepX, y + stepY],
      [x - stepX, y - stepY],
    ]
  })
  return [pairs.map(([left]) => left), pairs.map(([, right]) => right)]
}

/** Returns the parks and mountains as a GeoJSON geometry. */
export function seoulParks() {
  const rings = PARKS.map((corners) => {
    const [first, last] = [corners[0], corners.at(-1)]
    const start = first.map((value, i) => (value + last[i]) / 2)
    return smooth(smooth([start, ...corners, start]))
  })
  return { type: 'MultiPolygon', coordinates: rings.map((ring) => [ring]) }
}

/** Returns the main roads as a GeoJSON geometry. */
export function seoulRoads() {
  const lines = [...ROADS.map((line) => smooth(smooth(line))), ...besideHan(BANK_ROAD_METRES)]
  return { type: 'MultiLineString', coordinates: lines }
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
