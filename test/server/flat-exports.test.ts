import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { ITEM, SEOUL_ITEMS } from '../support/catalog.ts'

const t = useApp()

describe('CSV with flat=true', () => {
  const attributesOf = async (query: string) => {
    const response = await t.get(`/exports/seoul.csv?${query}`)
    const [header = [], ...lines]: string[][] = parse(await response.text())
    return { header, lines }
  }

  test('has a column for each extra attribute, by code point, in the place of the column of all', async () => {
    const plain = await attributesOf('flat=false')
    const { header, lines } = await attributesOf('flat=true')
    const attributes = ['built', 'open', 'tags'].map((name) => `extraAttributes.${name}`)
    expect(header).toEqual([...plain.header].flatMap((name) => (name === 'extraAttributes' ? attributes : name)))
    const valuesOf = (id: string) =>
      lines.find(([each]) => each === id)?.filter((_, n) => attributes.includes(header[n] ?? ''))
    expect(valuesOf(ITEM.palace)).toEqual(['1395', 'true', '["royal", "조선"]'])
    expect(valuesOf(ITEM.gate)).toEqual(['', '', ''])
    expect(lines.map(([id]) => id)).toEqual(SEOUL_ITEMS)
    expect(lines.every((cells) => cells.length === header.length)).toBe(true)
  })

  test('has no column for an attribute of another dataset, which the key may not see', async () => {
    const { prisma } = t.database
    await prisma.item.update({ where: { id: ITEM.draft }, data: { extraAttributes: { secret: 1 } } })
    expect((await attributesOf('flat=true&categoryCode=palace')).header.join()).not.toContain('secret')
  })

  test('has no such column if the selected items have no attribute', async () => {
    const { header } = await attributesOf('flat=true&categoryCode=gate')
    expect(header.some((name) => name.startsWith('extraAttributes'))).toBe(false)
  })

  test('keeps awkward names and values, null, and the empty text', async () => {
    const { prisma } = t.database
    const extraAttributes = { 'a,"b"': 'x,"y"\nz', '': 'none', __proto__: null, id: 'own', 값: '' }
    const before = await prisma.item.findUniqueOrThrow({ where: { id: ITEM.gate } })
    await prisma.item.update({ where: { id: ITEM.gate }, data: { extraAttributes } })
    await expect.poll(async () => (await attributesOf('flat=true')).header).toContain('extraAttributes.a,"b"')
    const { header, lines } = await attributesOf('flat=true&categoryCode=gate')
    const [cells = []] = lines
    const cellOf = (name: string) => cells[header.indexOf(`extraAttributes.${name}`)]
    expect([cellOf('a,"b"'), cellOf(''), cellOf('id'), cellOf('값')]).toEqual(['x,"y"\nz', 'none', 'own', ''])
    expect(cells[0]).toBe(ITEM.gate)
    await prisma.item.update({ where: { id: ITEM.gate }, data: { extraAttributes: before.extraAttributes ?? {} } })
  })

  test('is refused for more than 1,000 attributes', async () => {
    const { prisma } = t.database
    const extraAttributes = Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`a${n}`, n]))
    await prisma.item.update({ where: { id: ITEM.hall }, data: { extraAttributes } })
    await expect.poll(async () => (await t.get('/exports/seoul.csv?flat=true&categoryCode=hall')).status).toBe(400)
    const { error } = await (await t.get('/exports/seoul.csv?flat=true')).json()
    expect(error.message).toBe('flat is for at most 1000 attributes, and the items have more')
    const headers = { authorization: `Bearer ${t.key}` }
    expect((await fetch(`${t.url}/exports/seoul.csv?flat=true`, { method: 'HEAD', headers })).status).toBe(400)
    await prisma.item.update({ where: { id: ITEM.hall }, data: { extraAttributes: {} } })
  })
})
