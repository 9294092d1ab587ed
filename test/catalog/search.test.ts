import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseItems } from '../../src/catalog/models.ts'
import { recordsWith } from '../../src/catalog/projection.ts'
import type { Selection } from '../../src/catalog/selection.ts'
import { fetchSearchPage } from '../../src/catalog/sql/search.ts'
import { foldText } from '../../src/catalog/sql/words.ts'
import { randomCases } from '../support/cases.ts'
import { useDatabase } from '../support/database.ts'
import { fold, LATIN_ASCII } from '../support/fold.ts'

/*
 * Searches against a scan that is written from the words of docs/graphql.md, over names and boxes made from a seed. SEARCHES is
 * the number of searches.
 */

const SEARCHES = Number(process.env.SEARCHES ?? randomCases({ all: 400, few: 80 }))
const DATASETS = Array.from({ length: 3 }, () => randomUUID())
const [FIRST = '', SECOND = ''] = DATASETS

/** The same numbers from 0 to 1 in each run. */
function generator(seed: number) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
const random = generator(20_261_121)
const pick = <Value>(values: readonly [Value, ...Value[]]): Value =>
  values[Math.floor(random() * values.length)] ?? values[0]

const WORDS: readonly [readonly [string, ...string[]], ...(readonly [string, ...string[]])[]] = [
  ['서울', '시장', '공원', '박물관', '서울특별시', '한강공원', '경복궁', '각', '가', '남대문'],
  ['東京', 'タワー', 'ﾀﾜｰ', 'とうきょう', 'ガーデン', '公園', '東京タワー', 'カ゛', '駅'],
  ['北京', '北京市', '公园', '博物馆', '𠮷野', '中央公園', '馆'],
  ['القاهرة', 'متحف', 'مطار', 'حديقة', 'مُتْحَف', 'ﷺ', 'كتاب', 'کتـــاب', 'تهران\u200cی'],
  ['Αθήνα', 'ΟΔΟΣ', 'οδός', 'Άγιος', 'ΜΟΥΣΕΙΟ', 'Σίσυφος', 'ΘΕΣ', 'θεσ'],
  ['Ёлка', 'Музей', 'парк', 'МОСКВА', 'Йошкар'],
  [
    'São',
    'Paulo',
    'Ångström',
    'Zürich',
    'ZURICH',
    'İstanbul',
    'Straße',
    'a',
    'A',
    'Airport',
    'Port',
    'ﬁord',
    'e\u0301cole',
    'x\u20dd',
    'Łódź',
    'Bodø',
    'Æ',
  ],
  ['🏔️', '🌸', '👨‍👩‍👧', '★', '100%', 'a_b', "O'Hare", 'O’Hare', 'o´hare', '\u200e', '"quoted"', '\\', '٣', 'Ⅻ', '1'],
]
const SPACES = [' ', ' ', ' ', '\u3000', '  ', '\u00a0', '-', ''] as const

function newName(): string {
  const words = pick(WORDS)
  let name: string = pick(words)
  while (random() < 0.5) name += pick(SPACES) + pick(random() < 0.2 ? pick(WORDS) : words)
  return name
}

/** Decimal text with up to 7 decimals; many are the edges of boxes too. */
function degrees(limit: number): string {
  const value = (random() * 2 - 1) * limit
  const kind = random()
  if (kind < 0.05) return pick([String(limit), String(-limit)])
  return String(Number(value.toFixed(kind < 0.6 ? 0 : kind < 0.8 ? 1 : 7)))
}

/** A third of the items are here: more than the search compares with a box one by one. */
const CITY = { latitude: 37.5, longitude: 127 }
const near = (value: number) => (value + Math.round((random() - 0.5) * 400) / 100_000).toFixed(5)

interface Row {
  id: string
  datasetId: string
  name: string
  keywords: string[]
  folded: string
  foldedKeywords: string[]
  latitude: string
  longitude: string
  administrativeAreaCode: string
  categoryCode: string
}

function newRow(n: number): Row {
  const name = newName()
  const keywords = Array.from({ length: n % 4 }, newName)
  return {
    id: randomUUID(),
    datasetId: DATASETS[n % 10 === 0 ? 1 : n % 3 === 0 ? 2 : 0] ?? '',
    name,
    keywords,
    folded: fold(name),
    foldedKeywords: keywords.map(fold),
    latitude: n % 3 === 0 ? near(CITY.latitude) : degrees(90),
    longitude: n % 3 === 0 ? near(CITY.longitude) : degrees(180),
    administrativeAreaCode: `a${n % 5}`,
    // One of them has more items than the search reads without counting.
    categoryCode: n % 4 === 1 ? 'c1' : 'c2',
  }
}

const ROWS = Array.from({ length: 3_000 }, (_, n) => newRow(n))

const db = useDatabase()
beforeAll(async () => {
  const { prisma } = db.database
  const now = { createdAt: new Date(), updatedAt: new Date() }
  const published = { status: 'active', visibility: 'public', attribution: '' } as const
  await prisma.dataset.createMany({
    data: DATASETS.map((id, n) => ({ id, slug: `d${n}`, name: `D${n}`, ...published, ...now })),
  })
  await prisma.item.createMany({ data: ROWS.map(({ folded, foldedKeywords, ...row }) => ({ ...row, ...now })) })
})

/** Most are parts of names, as they are or changed in their case or form. */
function newText(): string {
  const { name, keywords } = pick(ROWS as [Row, ...Row[]])
  const characters = [...pick([pick([name, ...keywords]), newName()])]
  const length = random() < 0.8 ? 1 + Math.floor(random() * 4) : characters.length
  const from = Math.floor(random() * Math.max(1, characters.length - length))
  const text = characters.slice(from, from + length).join('')
  const changed = pick([text, text.toUpperCase(), text.normalize('NFD'), ` ${text} `, text.replaceAll(' ', '\u3000 ')])
  return /\P{White_Space}/u.test(changed) ? changed : 'a'
}

function newSearch(n: number): Selection {
  const [south, north] = [Number(degrees(90)), Number(degrees(90))].sort((a, b) => a - b)
  const world = { west: Number(degrees(180)), east: Number(degrees(180)), south: south ?? 0, north: north ?? 0 }
  const { latitude, longitude } = CITY
  const city = {
    west: Number(near(longitude)),
    east: Number(near(longitude)),
    south: Number(near(latitude)),
    north: latitude + 0.002,
  }
  const within = random() < 0.3 ? city : world
  return {
    ...(n % 4 !== 0 && { text: newText() }),
    ...(n % 4 < 2 && { within }),
    ...(random() < 0.2 && { administrativeAreaCode: 'a1' }),
    ...(random() < 0.2 && { categoryCode: 'c2' }),
  }
}

/** The ids of all found items, in order. */
function scan({ text, within, administrativeAreaCode, categoryCode }: Selection, scope: readonly string[]): string[] {
  const phrase = fold(text ?? '')
  if (text !== undefined && phrase === '') return []
  const words = phrase.split(' ')
  const isWithin = (row: Row) => {
    if (!within) return true
    const [latitude, longitude] = [Number(row.latitude), Number(row.longitude)]
    if (latitude < within.south || latitude > within.north) return false
    return within.west <= within.east
      ? longitude >= within.west && longitude <= within.east
      : longitude >= within.west || longitude <= within.east
  }
  const rank = ({ folded, foldedKeywords }: Row) => {
    if (text === undefined || folded === phrase || foldedKeywords.includes(phrase)) return 0
    if (folded.startsWith(phrase)) return 1
    return words.every((word) => folded.includes(word)) ? 2 : 3
  }
  const isFound = ({ folded, foldedKeywords }: Row, word: string) =>
    [folded, ...foldedKeywords].some((given) => given.includes(word))
  const codePoints = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
  return ROWS.filter((row) => scope.includes(row.datasetId))
    .filter((row) => words.every((word) => isFound(row, word)) && isWithin(row))
    .filter((row) => administrativeAreaCode === undefined || row.administrativeAreaCode === administrativeAreaCode)
    .filter((row) => categoryCode === undefined || row.categoryCode === categoryCode)
    .sort((a, b) => rank(a) - rank(b) || codePoints(a.name, b.name) || codePoints(a.id, b.id))
    .map(({ id }) => id)
}

describe('A search', () => {
  test(`finds the items, the order and the total of a scan (${SEARCHES} searches)`, async () => {
    let found = 0
    for (let n = 0; n < SEARCHES; n += 1) {
      const search = newSearch(n)
      const scope = pick([DATASETS, [FIRST], [SECOND], []])
      const window = {
        limit: pick([20, 1, 100]),
        offset: pick([0, 0, 7, 100]),
        projection: recordsWith({ fields: ['id'] }),
      }
      const expected = scan(search, scope)
      const { json, total } = await fetchSearchPage(db.database.sql, { ...search, ...window }, scope)
      const ids = expected.slice(window.offset, window.offset + window.limit)
      expect({ search, total, ids: parseItems(json).map(({ id }) => id) }).toEqual({
        search,
        total: expected.length,
        ids,
      })
      found += total ?? 0
    }
    expect(found).toBeGreaterThan(SEARCHES * 10)
  }, 600_000)

  test.each([
    { few: 5_000, many: 5_000, walked: 5_000 },
    { few: 3, many: 3, walked: 300 },
    { few: 0, many: 20, walked: 2_000 },
  ])('finds the same first pages of frequent texts without reading all, with the bounds %o', async (bounds) => {
    const { sql, withSession } = db.database
    await withSession((session) => session.query('ANALYZE items'))
    let full = 0
    for (let n = 0; n < SEARCHES; n += 1) {
      const selection = newSearch(n)
      const text = pick([newText(), pick(['a', 's', 'a ', 'par', '서', 'port', 'カ\u3099', 'の', 'é', '1'])])
      const search = { ...selection, text }
      const scope = pick([DATASETS, [FIRST], [SECOND]])
      const window = { limit: pick([20, 1, 3]), offset: pick([0, 0, 7]), projection: recordsWith({ fields: ['id'] }) }
      const { json, total } = await fetchSearchPage(sql, { ...search, ...window }, scope, { frequent: 0, ...bounds })
      const expected = scan(search, scope)
      expect({ search, total, ids: parseItems(json).map(({ id }) => id) }).toEqual({
        search,
        total: total === null ? null : expected.length,
        ids: expected.slice(window.offset, window.offset + window.limit),
      })
      if (total === null) full += 1
      const counted = { ...search, ...window, limit: 0 }
      expect((await fetchSearchPage(sql, counted, scope, { frequent: 0, ...bounds })).total).toBe(expected.length)
    }
    expect(full).toBeGreaterThan(SEARCHES / 20)
  })

  test('walks to all names that a text in ASCII begins, whatever characters they begin with', async () => {
    const { prisma, sql, withSession } = db.database
    const datasetId = randomUUID()
    const names = [
      'ECOLE',
      'Ecole',
      'Ecóle',
      'E\u0301cole',
      'eCOLE',
      'ecole',
      'e\u0301cole',
      'École',
      'école',
      '\u200eecole',
      'Ｅｃｏｌｅ',
      ...[' "Ecole', "'ecole", "e'cole", 'E`COLE', '(ecole)', '{Ecole', 'eco-x', '_ecole', '[ecole'],
    ]
    const now = { createdAt: new Date(), updatedAt: new Date() }
    await prisma.dataset.create({
      data: {
        id: datasetId,
        slug: 'ecoles',
        name: 'E',
        status: 'active',
        visibility: 'public',
        attribution: '',
        ...now,
      },
    })
    const place = { datasetId, latitude: 0, longitude: 0, administrativeAreaCode: 'a', categoryCode: 'c', ...now }
    await prisma.item.createMany({ data: names.map((name) => ({ id: randomUUID(), name, ...place })) })
    await withSession((session) => session.query('ANALYZE items'))
    const window = { text: 'eco', limit: names.length, offset: 0, projection: recordsWith({ fields: ['name'] }) }
    const bounds = { frequent: 0, few: 0, many: 0, walked: 5_000 }
    const { json, total } = await fetchSearchPage(sql, window, [datasetId], bounds)
    expect(total).toBeNull()
    const inOrder = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    expect(parseItems(json).map(({ name }) => name)).toEqual(inOrder)
    await prisma.dataset.delete({ where: { id: datasetId } })
  })

  test.each(['\u200e\u00ad', '—', "'"])('finds nothing for %j, which folds to nothing, in each way', async (text) => {
    const { sql } = db.database
    const window = { text, limit: 10, offset: 0, projection: recordsWith({ fields: ['id'] }) }
    const circle = { latitude: 0, longitude: 0, radius: 50_000 }
    const within = { west: -180, south: -90, east: 180, north: 90 }
    for (const place of [{}, { circle }, { within }]) {
      const page = await fetchSearchPage(sql, { ...window, ...place }, DATASETS, { frequent: 0 })
      expect(page).toEqual({ json: '[]', total: 0 })
    }
  })

  test('finds the same for texts whose grams many items have', async () => {
    await db.database.withSession((session) => session.query('ANALYZE items'))
    const { prisma } = db.database
    let common = 0
    for (let n = 0; n < 80; n += 1) {
      const window = { ...newSearch(n), limit: 20, offset: 0, projection: recordsWith({ fields: ['id'] }) }
      const found = await fetchSearchPage(prisma, window, DATASETS, { commonShare: 1 })
      expect(await fetchSearchPage(prisma, window, DATASETS, { commonShare: 0 })).toEqual(found)
      if (window.text !== undefined && !(await foldText(prisma, window.text, 0)).isRare) common += 1
    }
    expect(common).toBeGreaterThan(10)
  })
})

/** PostgreSQL drops it after a Hangul syllable. */
const DROPPED = '\u11A7'

test('fold_name folds each assigned character as Unicode does', async () => {
  const points = Array.from({ length: 0x10ffff }, (_, n) => n + 1)
  const characters = points
    .map((point) => String.fromCodePoint(point))
    .filter((text) => /[^\p{Cn}\p{Co}\p{Cs}]/u.test(text))
  const different: string[] = []
  for (let from = 0; from < characters.length; from += 20_000) {
    const texts = characters.slice(from, from + 20_000).flatMap((text) => [text, `e${text}\u0301`, `가${text}`])
    const rows = await db.database.prisma.$queryRaw<{ folded: string }[]>`
      SELECT fold_name(text) AS folded FROM unnest(${texts}::text[]) WITH ORDINALITY AS t (text, n) ORDER BY n`
    rows.forEach(({ folded }, n) => {
      const text = texts[n] ?? ''
      if (folded !== fold(text) && !text.includes(DROPPED)) different.push(text)
    })
  }
  expect(different).toEqual([])
})

test('fold_name folds each Latin letter as CLDR does (Latin-ASCII)', async () => {
  expect(LATIN_ASCII.length).toBeGreaterThan(800)
  const [letters, ascii] = [LATIN_ASCII.map(([letter]) => letter), LATIN_ASCII.map(([, one]) => one)]
  expect(
    await db.database.prisma.$queryRaw`
      SELECT letter, ascii, fold_name(letter) FROM unnest(${letters}::text[], ${ascii}::text[]) AS t (letter, ascii)
       WHERE fold_name(letter) <> fold_name(ascii)`,
  ).toEqual([])
})

test.each([
  ['ＡＢＣ ｶﾞ', 'abc ガ'],
  ['Ångström İstanbul STRASSE Straße STRAẞE', 'angstrom istanbul strasse strasse strasse'],
  ['ΟΔΟΣ Σίσυφος ᾼ', 'οδοσ σισυφοσ α'],
  ['Ёлка Йошкар-Ола', 'елка иошкар ола'],
  ['각 か\u3099 מוּזֵיאוֹן', '각 が מוזיאון'],
  ['ΘΕΣ/Θες', 'θεσ θεσ'],
  ['Łódź Đà Nẵng Bodø Ħamrun Diyarbakır Ŧ', 'lodz da nang bodo hamrun diyarbakir t'],
  ['Ðjúpivogur Þingvellir Ærø Œuvre Ǽ Ǿ Ŋ', 'djupivogur thingvellir aero oeuvre ae o n'],
  ['Gəncə Ɔkwapem Ƴola Ɓauchi Ƙano Ɩ ꜻ ĸ', 'gence okwapem yola bauchi kano i av q'],
  ['ﬀ ĳ ŉ ſ Ｌ\u0337', 'ff ij n s l'],
  ['\u200eBusan\u200f \u00adS\u200bã\u2060o\ufeff e\u200d\u0301', 'busan sao e'],
  ['葛\u{e0100}城市 ☕\ufe0f a\u034fb \u3164ㄱ\u115f', '葛城市 ☕ ab ᄀ'],
  ['كتـــاب کتاب ﻛ ﯼ ی ي ى', '\u06a9تاب \u06a9تاب \u06a9 ي ي ي ي'],
  ['مكة مكه أحمد إحمد آحمد ٱحمد ٵ مُتْحَف', 'م\u06a9ه م\u06a9ه احمد احمد احمد احمد ا متحف'],
  ['خانه\u200cها', 'خانهها'],
  ['ᄀ\u200bᅡ ㄱㅏ ｶ\u200dﾞ', '가 가 ガ'],
  ['霞ヶ関 ヵ', '霞ケ関 カ'],
  ['١٢٣ ۴۵ १२ ๗ ４ 𝟘 \u{16ac3}', '123 45 12 7 4 0 3'],
  ['O’Hare O´Hare OʼHare O`Hare O\u1ffdHare O\u1fefHare O＇Hare', 'ohare ohare ohare ohare ohare ohare ohare'],
  ["Puko'o O‘ahu ʻIolani Qurʾān ʿAmmān ꞌ ׳ ′", 'pukoo oahu iolani quran amman'],
  ['`ASCII`', 'ascii'],
  ["O'ahu St. John's, D.C.", 'oahu st johns d c'],
  ['Seattle-Tacoma Dallas–Fort Worth «X»(Y)', 'seattle tacoma dallas fort worth x y'],
  ['"Princess Grace" 3ㆍ1운동 3·1 3・1 3⋅1 3･1', 'princess grace 3 1운동 3 1 3 1 3 1 3 1'],
  [' \ta \u2028 b\u3000', 'a b'],
  ['C++ $5 a=b €1', 'c++ $5 a=b €1'],
  ['—!?', ''],
])('fold_name folds %s', async (text, folded) => {
  expect(fold(text)).toBe(folded)
  expect(await db.database.prisma.$queryRaw`SELECT fold_name(${text}) AS folded`).toEqual([{ folded }])
  expect(fold(folded)).toBe(folded)
})
