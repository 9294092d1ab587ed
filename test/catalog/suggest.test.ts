import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { fetchSuggestions, readCandidates, type Suggestion } from '../../src/catalog/sql/suggest.ts'
import { idsInOrder, parseText, rankCandidates } from '../../src/catalog/suggestions.ts'
import { Prisma } from '../../src/generated/prisma/client.ts'
import { randomCases } from '../support/cases.ts'
import { newDataset, newPlace } from '../support/catalog.ts'
import { useDatabase } from '../support/database.ts'

/* Places as people type them, in five scripts and with their mistakes, and the one that they mean. */

const PLACES: readonly (readonly [name: string, ...keywords: string[]])[] = [
  ['London Heathrow Airport', 'LHR', 'EGLL', 'Londres', 'London'],
  ['Heather Row Heliport'],
  ['London Gatwick Airport', 'LGW', 'EGKK'],
  ['Incheon International Airport', 'ICN', 'RKSI', '인천국제공항'],
  ['Picnic Ground'],
  ['Charles de Gaulle International Airport', 'CDG', 'LFPG', 'Paris', 'Roissy-en-France'],
  ['Paris'],
  ['Parys'],
  ['Tokyo', '東京', 'とうきょう'],
  ['Busan', '부산', 'Pusan'],
  ['Gyeongbokgung Palace', '경복궁'],
  ['Gyeonghuigung Palace', '경희궁'],
  ['경복궁역'],
  ['창덕궁'],
  ['남대문시장'],
  ['동대문디자인플라자', 'DDP'],
  ['국립중앙박물관'],
  ['국립민속박물관'],
  ['해운대해수욕장'],
  ['Zürich', 'Zurigo'],
  ['São Paulo'],
  ['San Pablo'],
  ["Chicago O'Hare International Airport", 'ORD'],
  ['Ohara Heliport'],
  ['JFK Heliport'],
  ['John F. Kennedy International Airport', 'JFK', 'KJFK', 'Idlewild'],
  ['J & H Airport'],
  ['Saint-Étienne'],
  ['Reykjavík'],
  ['Köln Hauptbahnhof'],
  ['Edinburgh Castle'],
  ['Москва', 'Moscow'],
  ['Санкт-Петербург'],
  ['Екатеринбург'],
  ['Йошкар-Ола'],
  ['Αθήνα'],
  ['Θεσσαλονίκη'],
  ['Ηράκλειο'],
  ['القاهرة'],
  ['الإسكندرية'],
  ['مطار القاهرة الدولي'],
  ['الدار البيضاء'],
  ['가방박물관'],
  ['갑사'],
  ['경복대학교'],
  ['경 보건소'],
  ['과천 서울랜드'],
  ['고궁박물관'],
  ['국립 고궁 박물관'],
  ['닭갈비 골목'],
  ['달성 박사 마을'],
  ['ㄱㅂ 카페'],
  ['C++ 강북학원'],
  ['꼭두박물관'],
  ['(주)한국'],
  ['(주)한국관광'],
  ['주 한국관광공사'],
  ["'s-Gravenhage"],
  ['Gras S'],
  [`The ${'very '.repeat(25)}Long Airport`],
]

const DATASET = randomUUID()
const OTHER = randomUUID()
/** The dataset of long names. */
const LONG = randomUUID()
/** The dataset of pairs of names. */
const PAIRS = randomUUID()
const NAMES = new Map<string, string>()

const db = useDatabase()
beforeAll(async () => {
  await db.database.prisma.dataset.createMany({
    data: [DATASET, OTHER, LONG, PAIRS].map((id, n) => newDataset({ id, slug: `d${n}` })),
  })
  const at = (n: number) => ({ categoryCode: `c${n % 2}`, latitude: n, longitude: n })
  await add(PLACES.map(([name, ...keywords], n) => newPlace({ datasetId: DATASET, name, keywords, ...at(n) })))
})

async function add(rows: ReturnType<typeof newPlace>[]): Promise<void> {
  for (const { id, name } of rows) NAMES.set(id, name)
  await db.database.prisma.item.createMany({ data: rows })
}

async function suggest(given: Partial<Suggestion>, scope = [DATASET], maxCompared?: number) {
  const ids = await fetchSuggestions(db.database.sql, { text: '', limit: 10, ...given }, scope, maxCompared)
  return ids.map((id) => NAMES.get(id))
}

/** The same without indexes: ranks all items of the dataset and the category. */
async function compareAll({ text, categoryCode, limit }: Suggestion, datasetId: string) {
  const { prisma } = db.database
  const [row] = await prisma.$queryRaw<{ letters: string }[]>`SELECT letters_of(fold_name(${text})) AS letters`
  const meant = parseText(row?.letters ?? '')
  if (meant.phrase === '') return []
  const isCategory = categoryCode === undefined ? Prisma.sql`true` : Prisma.sql`i.category_code = ${categoryCode}`
  const all = Prisma.sql`(SELECT * FROM items i WHERE i.dataset_id = ${datasetId}::uuid AND ${isCategory}) AS i`
  const ranked = rankCandidates(meant, await readCandidates(prisma, all))
  return idsInOrder(ranked)
    .slice(0, limit)
    .map((id) => NAMES.get(id))
}

describe('Suggestions', () => {
  test('are equal names and keywords, then names that begin with the text, then others', async () => {
    expect(await suggest({ text: 'paris' })).toEqual(['Charles de Gaulle International Airport', 'Paris'])
    expect(await suggest({ text: 'london' })).toEqual(['London Heathrow Airport', 'London Gatwick Airport'])
    expect(await suggest({ text: 'lond', limit: 1 })).toEqual(['London Gatwick Airport'])
    expect((await suggest({ text: 'p' })).slice(0, 3)).toEqual(['Paris', 'Parys', 'Picnic Ground'])
    expect(await suggest({ text: 'airport', limit: 3 })).toHaveLength(3)
  })

  test('begin with the text if only a bracket or another separator is before it', async () => {
    expect(await suggest({ text: '(주)한' })).toEqual(['(주)한국', '(주)한국관광', '주 한국관광공사'])
    expect((await suggest({ text: "'s-gra" }))[0]).toBe("'s-Gravenhage")
    expect(await suggest({ text: 's gravenhage' })).toEqual(["'s-Gravenhage"])
    expect(await suggest({ text: '주 한', limit: 2 })).toEqual(['(주)한국', '(주)한국관광'])
  })

  test('have the category, are in the box, and of the datasets', async () => {
    const [name = ''] = await suggest({ text: 'heatrow' })
    const n = PLACES.findIndex(([place]) => place === name)
    expect((await suggest({ text: 'heatrow', categoryCode: `c${n % 2}` }))[0]).toBe(name)
    expect(await suggest({ text: 'heatrow', categoryCode: `c${1 - (n % 2)}` })).not.toContain(name)
    const box = { west: n, south: n, east: n, north: n }
    expect(await suggest({ text: 'heatrow', within: box })).toEqual([name])
    expect(await suggest({ text: 'heatrow', within: { ...box, west: n + 1, east: n + 1 } })).toEqual([])
    expect(await suggest({ text: 'heatrow' }, [OTHER])).toEqual([])
    expect(await suggest({ text: 'heatrow' }, [])).toEqual([])
  })

  test('are none for a text without letters, and for one that nothing is like', async () => {
    expect(await suggest({ text: '-' })).toEqual([])
    expect(await suggest({ text: '\u0301' })).toEqual([])
    expect(await suggest({ text: '\u200e' })).toEqual([])
    expect(await suggest({ text: 'qqqqqqqq' })).toEqual([])
    expect(await suggest({ text: 'a'.repeat(200) })).toEqual([])
    expect(await suggest({ text: "'; DROP TABLE items; --" })).toEqual([])
  })

  test('are the same when all items are candidates', async () => {
    const together = PLACES.map(([name, ...keywords]) => [keywords.at(-1), name.split(' ').at(-1)].join(' '))
    const texts = [...PLACES.flat(), ...together].flatMap((entry) => {
      const letters = [...entry]
      const middle = Math.floor(letters.length / 2)
      const swapped = [
        ...letters.slice(0, middle - 1),
        letters[middle],
        letters[middle - 1],
        ...letters.slice(middle + 1),
      ]
      return [
        entry,
        letters.slice(0, 2).join(''),
        letters.toSpliced(middle, 1).join(''),
        swapped.join(''),
        letters.slice(middle).join(''),
      ]
    })
    let found = 0
    await db.database.withSession((session) => session.query('ANALYZE items'))
    for (const [n, text] of texts.filter((text, n) => n % 2 === 0 && text.trim() !== '').entries()) {
      const suggestion = { text, limit: [10, 1, 3][n % 3] ?? 1, ...(n % 5 === 0 && { categoryCode: 'c1' }) }
      const names = await suggest(suggestion)
      expect({ ...suggestion, names }).toEqual({
        ...suggestion,
        names: await compareAll(suggestion, DATASET),
      })
      found += names.length
    }
    expect(found).toBeGreaterThan(100)
  })
})

describe('While Hangul is typed', () => {
  test.each([
    // Initial consonants, alone and after whole syllables.
    ['ㄱㅂㄱ', ['경 보건소', '경복궁역']],
    ['ㄱㅂ', ['ㄱㅂ 카페', '가방박물관', '경 보건소', '경복궁역', '경복대학교']],
    ['경ㅂㄱ', ['경 보건소', '경복궁역']],
    ['ㄱ복ㄱ', ['경복궁역']],
    ['ㄱㄹㄱㄱㅂㅁㄱ', ['국립 고궁 박물관']],
    ['ㄱㄹ ㄱㄱ', ['국립 고궁 박물관']],
    ['국ㄹㅈㅇ', ['국립중앙박물관']],
    ['(ㅈ)ㅎ', ['(주)한국', '(주)한국관광', '주 한국관광공사']],
    ['ㄲㄷㅂ', ['꼭두박물관']],
    ['c++ ㄱㅂ', ['C++ 강북학원']],
    ['ᄀᄇᄀ', ['경 보건소', '경복궁역']],
    ['ﾡﾲﾡ', ['경 보건소', '경복궁역']],
    // A last syllable that the next key continues, or shares with the next syllable.
    ['경ㅂ', ['경복궁역', '경복대학교', '경 보건소']],
    ['경보', ['경복궁역', '경복대학교']],
    ['경복ㄱ', ['경복궁역']],
    ['경복구', ['경복궁역']],
    ['갑', ['갑사', '가방박물관']],
    ['고', ['고궁박물관', '과천 서울랜드']],
    ['달', ['달성 박사 마을', '닭갈비 골목']],
    ['달성밗', []],
    ['달성 밗', ['달성 박사 마을']],
    ['갃', []],
    ['ㄳ', ['갑사']],
    ['ㅄ', []],
  ])('%s begins %j', async (text, names) => {
    const found = await suggest({ text, limit: 50 })
    const parsed = parseText(text.normalize('NFKC').normalize('NFD'))
    expect(found.slice(0, names.length)).toEqual(names)
    expect(
      found.slice(names.length).filter((name) => parsed.halfTyped?.pattern.test(name?.normalize('NFD') ?? '')),
    ).toEqual([])
  })

  test('each prefix of the keys of a name suggests it', async () => {
    // The keys of 국립 and 닭갈비, as a Korean keyboard shows them one after the other.
    for (const text of ['ㄱ', '구', '국', '국ㄹ', '국리', '국립', '국립ㅈ', '국립주', '국립중']) {
      expect(await suggest({ text, limit: 50 })).toContain('국립중앙박물관')
    }
    for (const text of ['ㄷ', '다', '달', '닭', '닭ㄱ', '닭가', '닭갈', '닭갈ㅂ', '닭갈비']) {
      expect(await suggest({ text, limit: 50 })).toContain('닭갈비 골목')
    }
    for (const text of ['ㄱ', '가', '갑', '가바', '가방', '가방ㅂ', '가방바', '가방박']) {
      expect(await suggest({ text, limit: 50 })).toContain('가방박물관')
    }
    for (const text of ['ㄱ', '고', '과', '괓', '과처', '과천']) {
      expect(await suggest({ text, limit: 50 })).toContain('과천 서울랜드')
    }
  })
})

/** A name with a mistake in each of the given places: two letters are swapped, one is missing, twice there, or another one. */
function misspell(name: string, mistakes: readonly { place: number; kind: number }[]): string {
  const letters = [...name]
  for (const { place, kind } of mistakes) {
    const n = place % letters.length
    const [letter = '', next = ''] = letters.slice(n)
    letters.splice(n, 2, ...([[next, letter], [next], [letter, letter, next], ['e', next]][kind] ?? []))
  }
  return letters.join('')
}

const MISSPELT = fc
  .record({
    name: fc.constantFrom(...PLACES.slice(0, -1).flatMap(([a]) => PLACES.slice(0, 10).map(([b]) => `${a} ${b}`))),
    mistakes: fc.array(fc.record({ place: fc.nat(), kind: fc.nat(3) }), { minLength: 1, maxLength: 2 }),
    typed: fc.integer({ min: 4, max: 100 }),
  })
  .map(({ name, mistakes, typed }) => [...misspell(name, mistakes)].slice(0, typed).join(''))

test('of misspelt names, the same are found as by a comparison with all, and the best also if each group is too common', async () => {
  const names = PLACES.flatMap(([a]) => PLACES.slice(0, 10).map(([b]) => `${a} ${b}`))
  await add(names.map((name) => newPlace({ datasetId: PAIRS, name })))
  await db.database.withSession((session) => session.query('ANALYZE items'))
  const texts = fc.sample(MISSPELT, { seed: 1, numRuns: randomCases({ all: 300, few: 40 }) })
  let isBest = 0
  for (const text of texts) {
    const all = await compareAll({ text, limit: 10 }, PAIRS)
    expect({ text, names: await suggest({ text }, [PAIRS]) }).toEqual({ text, names: all })
    const [best] = await suggest({ text }, [PAIRS], 20)
    if (best === all[0]) isBest += 1
  }
  expect(isBest / texts.length).toBeGreaterThan(0.9)
})

test('of too many that share grams with a text, those with names as long as the text are found', async () => {
  const names = Array.from({ length: 130 }, (_, n) => `${'x'.repeat(1 + ((n * 37) % 130))} Market`)
  await add(names.map((name) => newPlace({ datasetId: LONG, name, categoryCode: 'markets' })))
  const suggestion = { text: 'xx makret', limit: 5, categoryCode: 'markets' }
  const [meant] = await compareAll(suggestion, LONG)
  expect(meant).toBe('xx Market')
  for (const maxCompared of [3, 20, 129]) expect(await suggest(suggestion, [LONG], maxCompared)).toContain(meant)
})

test.each([49, 50, 51])('of %i letters, an equal name comes before longer ones', async (count) => {
  const name = 'abcdefghij'.repeat(6).slice(0, count)
  // Capitals come first by name.
  const names = [...['A', 'B', 'C'].map((end) => `${name.toUpperCase()} ${end}`), name]
  await add(names.map((each) => newPlace({ datasetId: LONG, name: each, categoryCode: `letters ${count}` })))
  const suggestion = { text: name, limit: 2, categoryCode: `letters ${count}` }
  const found = await suggest(suggestion, [LONG])
  expect(found[0]).toBe(name)
  expect(found).toEqual(await compareAll(suggestion, LONG))
})

describe('What is probably meant comes first', () => {
  test.each([
    // Letters that are missing, swapped, doubled or wrong.
    ['Heatrow', 'London Heathrow Airport'],
    ['heahtrow', 'London Heathrow Airport'],
    ['aethrow', 'London Heathrow Airport'],
    ['eathrow', 'London Heathrow Airport'],
    ['yeongbok', 'Gyeongbokgung Palace'],
    ['yeonbokgung', 'Gyeongbokgung Palace'],
    ['ncheon', 'Incheon International Airport'],
    ['dinburgh castle', 'Edinburgh Castle'],
    ['lonodn heatrow', 'London Heathrow Airport'],
    ['london gatwik', 'London Gatwick Airport'],
    ['gyeonbok', 'Gyeongbokgung Palace'],
    ['kyeongbokgung', 'Gyeongbokgung Palace'],
    ['gyeongboggung', 'Gyeongbokgung Palace'],
    ['inchon international', 'Incheon International Airport'],
    ['Charles de Gaul', 'Charles de Gaulle International Airport'],
    ['edinbrugh', 'Edinburgh Castle'],
    ['tokoy', 'Tokyo'],
    ['pairs', 'Paris'],
    ['reykjavik', 'Reykjavík'],
    ['reikjavik', 'Reykjavík'],
    ['sao paolo', 'São Paulo'],
    ['saint etiene', 'Saint-Étienne'],
    ['zurich', 'Zürich'],
    ['koln haupbahnhof', 'Köln Hauptbahnhof'],
    // Codes and other names.
    ['icn', 'Incheon International Airport'],
    ['LHR', 'London Heathrow Airport'],
    ['JFK airport', 'John F. Kennedy International Airport'],
    ['jfk airp', 'John F. Kennedy International Airport'],
    ['kennedy idlewild', 'John F. Kennedy International Airport'],
    // Letters that the name has with an apostrophe or a space between them.
    ['ohare', "Chicago O'Hare International Airport"],
    ['OHara', 'Ohara Heliport'],
    ['saopaulo', 'São Paulo'],
    ['charlesdegaulle', 'Charles de Gaulle International Airport'],
    ['moskow', 'Москва'],
    // Hangul, also while its last syllable is not complete.
    ['경봇궁', 'Gyeongbokgung Palace'],
    ['창더', '창덕궁'],
    ['창덕구', '창덕궁'],
    ['남데문시장', '남대문시장'],
    ['국립중앙박물과', '국립중앙박물관'],
    ['국립민속밤물관', '국립민속박물관'],
    ['헤운대해수욕장', '해운대해수욕장'],
    // Cyrillic, Greek and Arabic.
    ['моксва', 'Москва'],
    ['санкт питербург', 'Санкт-Петербург'],
    ['екатиринбург', 'Екатеринбург'],
    ['йошкарола', 'Йошкар-Ола'],
    ['αθηνα', 'Αθήνα'],
    ['θεσαλονικη', 'Θεσσαλονίκη'],
    ['ηρακλιο', 'Ηράκλειο'],
    ['القاهره', 'القاهرة'],
    ['الاسكندريه', 'الإسكندرية'],
    ['مطار القهرة', 'مطار القاهرة الدولي'],
    // Kana and Han.
    ['とうきょ', 'Tokyo'],
    ['東京', 'Tokyo'],
  ])('%s means %s', async (text, name) => {
    expect((await suggest({ text }))[0]).toBe(name)
  })
})
