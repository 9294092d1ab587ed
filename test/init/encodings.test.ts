import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import iconv from 'iconv-lite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { initManifest } from '../../src/init/init-manifest.ts'
import { guessEncodings } from '../../src/rows/formats/encodings.ts'
import LANGUAGES from './data/languages.json' with { type: 'json' }

/** Windows-1258 has the shape of a vowel in its letter, and its tone after it. */
const withTones = (text: string) =>
  text.normalize('NFD').replace(/(\p{L})(\p{M}+)/gu, (_, letter: string, marks: string) => {
    const isShape = (mark: string) => '\u0302\u0306\u031b'.includes(mark)
    const shapes = [...marks].filter(isShape).join('')
    return (letter + shapes).normalize('NFC') + [...marks].filter((mark) => !isShape(mark)).join('')
  })

const CASES = LANGUAGES.flatMap(({ language, encodings, names }) =>
  encodings.flatMap((encoding) =>
    [...names.map((name) => [name]), names].flatMap((some) => {
      const lines = some.map((name, index) => `${index},${name},47.5,19\n`).join('')
      const text = encoding === 'windows-1258' ? withTones(lines) : lines
      const bytes = iconv.encode(text, encoding)
      // Some of the names are ASCII, or have a letter that the encoding lacks.
      const isCase = bytes.some((byte) => byte >= 0x80) && iconv.decode(bytes, encoding) === text
      return isCase ? [{ language, encoding, text, bytes, isFile: some === names }] : []
    }),
  ),
)

test('the right reading of real names is among those that are shown, for each language and its encodings', () => {
  const lost = CASES.filter(({ bytes, text }) => guessEncodings(bytes).every((reading) => reading.text !== text))
  expect(lost).toEqual([])
  expect(CASES.length).toBeGreaterThan(350)
  const first = CASES.filter(({ bytes, text }) => guessEncodings(bytes)[0]?.text === text)
  expect(first.length / CASES.length).toBeGreaterThan(0.8)
  const wrong = CASES.filter((each) => each.isFile && !first.includes(each))
  expect(wrong.map(({ language, encoding }) => `${language} ${encoding}`)).toEqual([])
})

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalog-encodings-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

const find = async (content: Buffer) => {
  const path = join(folder, 'places.csv')
  await writeFile(path, content)
  const { dialect, choices } = await initManifest(path, join(folder, 'made.json')).finally(() =>
    rm(join(folder, 'made.json'), { force: true }),
  )
  return { encoding: dialect.encoding, inference: choices.find(({ what }) => what === 'encoding') }
}

describe('An encoding that the file does not prove', () => {
  const HUNGARIAN = 'id,name,lat,lon\n1,Hősök tere,47.5149,19.0779\n'

  test('is said by init, with the words that differ in each and what to write', async () => {
    const { encoding, inference } = await find(iconv.encode(HUNGARIAN, 'windows-1250'))
    expect(encoding).toBe(inference?.readings[0]?.choice)
    expect(inference?.readings).toContainEqual({
      choice: 'windows-1250',
      example: 'Hősök',
      write: '"encoding": "windows-1250"',
    })
    expect(inference?.readings).toContainEqual(expect.objectContaining({ example: 'Hõsök' }))
  })

  test('is said by a line that tells them apart, wherever it is', async () => {
    const many = Array.from({ length: 20_000 }, (_, n) => `${n},Kávéház Fő tér ${n}`.replace('ő', 'ö')).join(',1,2\n')
    const text = `id,name,lat,lon\n${many},1,2\nlast,Hősök tere,1,2\n`
    const { inference } = await find(iconv.encode(text, 'windows-1250'))
    expect(inference?.readings.map(({ example }) => example)).toContain('Hősök')
  })

  test('is none if the file is UTF-8 or has a byte order mark', async () => {
    const ascii = 'id,name,lat,lon\n1,A,47.5149,19.0779\n'
    expect(await find(Buffer.from(HUNGARIAN))).toEqual({})
    expect(await find(Buffer.from(ascii))).toEqual({})
    expect(await find(iconv.encode(HUNGARIAN, 'utf-16le', { addBOM: true }))).toEqual({ encoding: 'utf-16le' })
    await expect(find(Buffer.concat([Buffer.from(HUNGARIAN.repeat(2)), Buffer.from([0xe9, 0x0a])]))).rejects.toThrow(
      'is not UTF-8, at line 5, but other lines are',
    )
  })
})
