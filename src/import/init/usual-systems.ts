/** Usual systems of a country, the more usual first, and the names of columns and files, or letters in cells, that speak for them. */
interface UsualSystems {
  names?: RegExp
  letters?: RegExp
  numbers: readonly number[]
}

const zones = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

export const USUAL: readonly UsualSystems[] = [
  {
    names: /rechtswert|hochwert|ostwert|nordwert|straße|strasse|bezeichnung|gemeinde/i,
    letters: /ß/,
    numbers: [25832, 25833, 31467, 31468, 31466, 31469, 4647],
  },
  { names: /\p{Script=Hangul}/u, letters: /\p{Script=Hangul}/u, numbers: [5186, 5179, 5174, 5187, 5185, 5181] },
  {
    names: /緯|経|住所|施設|座標/u,
    letters: /\p{Script=Hiragana}|\p{Script=Katakana}/u,
    numbers: [6677, 6674, 6675, 6670, 6680, 6678, ...zones(6669, 6687)],
  },
  { names: /坐标|twd97|縣|縣市|地址/iu, letters: /[縣區臺灣]/u, numbers: [3826, 3825, 3828] },
  { names: /l93|lambert|commune|adresse/i, numbers: [2154] },
  { names: /osgb|postcode|^grid/i, numbers: [27700, 29902, 29903] },
  { names: /nztm|nzgd/i, numbers: [2193] },
  { names: /^rd_?[xy]$|gemeente|naam/i, numbers: [28992] },
  { names: /sweref|namn|kommun$|gata/i, numbers: [3006] },
  { names: /nimi|kunta/i, letters: /[Yy]li|ää/, numbers: [3067, 3301] },
  {
    names: /puwg|nazwa|gmina|powiat|miejscowo|ulica/i,
    letters: /[łżśźńć]/i,
    numbers: [2180, 2178, 2177, 2176, 2179],
  },
  { names: /název|nazev|obec|ulice|krovak/i, letters: /[řěů]/i, numbers: [5514] },
  { names: /huso|nombre|municipio|direcci/i, numbers: [25830, 25829, 25831, 25828] },
  { names: /concelho|freguesia|morada/i, numbers: [3763] },
  { names: /comune|indirizzo/i, numbers: [25832, 25833, 32632, 32633] },
  { names: /navn|kommune|øst|utm/i, letters: /[øæ]/i, numbers: [25832, 25833] },
  {
    names: /borough|zip|zipcode|_ft$|feet/i,
    numbers: [2263, 2227, 2229, 2230, 2285, 3435, 2272, 2276, 2278, 2236, 2248],
  },
]

/** National systems, and at last the one of web maps, which fits to any number. */
export const OTHERS: readonly number[] = [
  ...[
    25832, 25833, 25830, 25831, 25829, 25828, 4647, 31467, 31468, 2154, 27700, 29902, 2193, 28992, 2056, 21781, 31370,
  ],
  ...[3812, 2180, 2178, 2177, 2176, 2179, 3006, 3067, 3301, 3059, 3346, 5514, 3763, 3765, 31256, 3826, 3825],
  ...[5186, 5179, 6677, 6674, 6675, 6670, 6680, 3414, 2263, 2227, 2229, 2230, 2285, 3435, 2272, 2276, 2278, 2236, 2248],
  ...[28356, 28355, 28350, 28354, 31983, 3035, 3857],
]

/** Systems that fit to nearly any numbers. */
export const BROAD: readonly string[] = ['EPSG:3035', 'EPSG:3857']

/** Systems whose first axis, which is called `x`, points to the north: those of Japan, Poland, and Gauss-Krüger. */
export const NORTH_FIRST: ReadonlySet<string> = new Set(
  [...zones(6669, 6687), ...zones(2176, 2180), ...zones(31466, 31469)].map((number) => `EPSG:${number}`),
)
