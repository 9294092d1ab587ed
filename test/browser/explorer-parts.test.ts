import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { badParts, formatAddress, isSearch, parseAddress, type View } from '../../src/explorer/data/address.ts'
import { ROW_FIELDS } from '../../src/explorer/data/table-columns.ts'
import { pictureUrl, safeUrl } from '../../src/explorer/shared/safe-url.ts'
import { sizeText } from '../../src/explorer/shared/text.ts'
import { embedFrame, embedKeyCommand, embedPage } from '../../src/explorer/views/developer/embed-page.ts'
import { formsOf, graphiqlPath } from '../../src/explorer/views/developer/request-forms.ts'
import { parseCoordinate } from '../../src/explorer/views/places/point.ts'
import { requestOf } from '../../src/explorer/views/request.ts'
import { useApp } from '../support/app.ts'
import { runShell } from '../support/process.ts'

/*
 * The explorer's parts that need no browser.
 */

const t = useApp({ data: 'sample' })

const BASE = 'http://127.0.0.1:4000'

test.each([
  {},
  { dataset: 'seoul-landmarks', at: { latitude: 37.5, longitude: 127.1, zoom: 11.25 } },
  { dataset: 'x y&z', category: '가', area: '11110' },
  { text: '100% "경복궁" & <b>_', within: [179.5, -90, -179.5, 90] as [number, number, number, number] },
  { at: { latitude: 0, longitude: 115, zoom: -0.54 } },
  { dataset: 'x', isAbout: true },
  { dataset: 'x', table: { fields: ['name', 'url'], sort: 'updatedAt' as const, isDescending: true, page: 3 } },
  { near: { latitude: -90, longitude: 180, radius: 50_000 }, item: '7748716f-f0aa-5779-a29b-4066ccbe3bdb' },
])('an address describes the view: %j', (view) => {
  expect(parseAddress(formatAddress(view).slice(1))).toEqual({
    ...{
      dataset: undefined,
      category: undefined,
      area: undefined,
      item: undefined,
      at: undefined,
      near: undefined,
      table: undefined,
      isAbout: undefined,
    },
    ...view,
  })
})

const words = (text: string) => text.split(' ')

test.each([
  ...words('at=x at=91,0,3 at=1,2 at=0,0,-3 at=0,0,23 at=,, near=0,181,5 near=0,0,0 near=0,0,60000 near=NaN,0,1'),
  ...words('within=1,2,3 within=1,2,3,4,5 within=181,0,1,1 within=0,-91,1,1 within=0,2,1,1 within=a,b,c,d within=,,,'),
])('an address that is not valid is left out: %s', (query) => {
  const { at, near, within } = parseAddress(query)
  expect([at, near, within]).toEqual([undefined, undefined, undefined])
})

test('filters without a dataset are left out, because codes are those of a dataset', () => {
  expect(formatAddress(parseAddress('category=palace&area=11110&text=gate'))).toBe('?text=gate')
})

test('the request for a search is the same in GraphQL, with its defaults or with its variables, and in curl', async () => {
  const request = requestOf({
    dataset: 'seoul-landmarks',
    text: 'palace',
    within: [126.9, 37.5, 127, 37.6],
    category: 'palace',
  })
  const { body } = await t.graphql(request.query)
  expect(body.data.searchItems.total).toBe(4)
  expect((await t.graphql(request.query, request.variables)).body).toEqual(body)
  const { curl = '' } = formsOf(request, t.url, t.key)
  const { data, meta } = JSON.parse((await runShell({}, `${curl} --silent`)).stdout)
  expect(meta.total).toBe(4)
  const ids = (items: { id: string }[]) => items.map(({ id }) => id)
  expect(ids(data)).toEqual(ids(body.data.searchItems.nodes))
})

test('a table of an address that is not valid has the default order, columns and page', () => {
  const table = parseAddress('view=table&columns=url,password,name&sort=id&order=up&page=0').table
  expect(table).toEqual({ fields: ['name', 'url'], sort: 'name', isDescending: false, page: 1 })
  expect(parseAddress('view=x&sort=name').table).toBeUndefined()
})

test.each([
  ['near=37.5,abc&sort=foo&view=tabel', ['near=37.5,abc', 'sort=foo', 'view=tabel']],
  ['lang=fr&at=1,2&within=1,2,3&category=palace', ['lang=fr', 'at=1,2', 'within=1,2,3', 'category=palace']],
  ['dataset=a&view=table&columns=nme,url&page=0', ['columns=nme,url', 'page=0']],
  ['dataset=a&view=table&columns=name&sort=name&order=asc&page=1&text=&utm_source=mail', []],
  ['near=37.5,127,1000&at=1.123456789,2,3&dataset=a,b', []],
])('the parts of the address %s that say nothing are named', (query, parts) => {
  expect(badParts(query)).toEqual(parts)
})

test('the request for a table has its order, its page and its columns, in REST and GraphQL', async () => {
  const table = { fields: ['name', 'updatedAt'], sort: 'name' as const, isDescending: true, page: 1 }
  const { path, query } = requestOf({ dataset: 'seoul-landmarks', category: 'palace', table })
  const { data } = await (await t.get(path)).json()
  const { body } = await t.graphql(query)
  const names = (items: { name: string }[]) => items.map(({ name }) => name)
  expect(names(data)).toEqual(names(body.data.dataset.items.nodes))
  expect(names(data)).toEqual(names(data).toSorted().toReversed())
  expect(Object.keys(body.data.dataset.items.nodes[0])).toEqual([...ROW_FIELDS, 'name', 'updatedAt'])
})

test.each<View>([
  { text: 'gung' },
  { dataset: 'seoul-landmarks', within: [126.9, 37.5, 127, 37.6] },
  { near: { latitude: 37.5796, longitude: 126.977, radius: 2000 } },
])('the request for the table of %j has its columns and its page', async (view) => {
  const table = { fields: ['name', 'telephone'], sort: 'name' as const, isDescending: false, page: 2 }
  const { path, query, variables } = requestOf({ ...view, table })
  expect(new URL(path, BASE).searchParams.get('page')).toBe('2')
  const { body } = await t.graphql(query.replace('$limit: Int = 50', '$limit: Int = 3'), { ...variables, limit: 3 })
  const { nodes } = body.data.searchItems ?? body.data.nearbyItems
  expect(Object.keys(nodes[0].item ?? nodes[0])).toEqual([...ROW_FIELDS, 'name', 'telephone'])
  expect((await t.get(path)).status).toBe(200)
})

test.each([
  [0, true, ' (0 byte)'],
  [999, true, ' (1,000 byte)'],
  [12_345, true, ' (12 kB)'],
  [1_440_000, false, ' (about 1.4 MB)'],
  [25_000_000_000, false, ' (about 25 GB)'],
  [25_000_000_000_000, false, ' (about 25,000 GB)'],
])('%i bytes, exact %s, are written as%s', (bytes, isExact, expected) => {
  expect(sizeText({ bytes, isExact })).toBe(expected)
})

test.each([
  {},
  { dataset: 'seoul-landmarks' },
  { dataset: 'seoul-landmarks', category: 'palace', area: '11110' },
  { near: { latitude: 37.5796, longitude: 126.977, radius: 2000 } },
  { dataset: 'seoul-landmarks', near: { latitude: 37.5796, longitude: 126.977, radius: 2000 } },
  { dataset: 'seoul-landmarks', category: 'palace', near: { latitude: 37.5796, longitude: 126.977, radius: 2000 } },
  { text: 'gung', category: 'palace' },
  { item: 'ed9ea7d8-caaf-5cf9-817b-36ba51a4744b' },
  { dataset: 'seoul-landmarks', isAbout: true },
])('the request for %j is the same in REST and GraphQL, and each form runs as copied', async (view) => {
  const request = requestOf(view)
  const rest = await (await t.get(request.path ?? '')).json()
  const { body } = await t.graphql(request.query)
  expect(body.errors).toBeUndefined()
  const named = (value: unknown) => [...JSON.stringify(value).matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id)
  expect(named(body.data)).toEqual(expect.arrayContaining(named(rest.data).slice(0, 1)))
  expect(new URL(graphiqlPath(request), BASE).searchParams.get('query')).toBe(request.query)
  const { curl = '', Python = '' } = formsOf(request, t.url, t.key)
  expect(JSON.parse((await runShell({}, `${curl} --silent`)).stdout)).toEqual(rest)
  const python = await runShell({}, `command -v python3 >/dev/null || exit 0\npython3 - <<'END'\n${Python}\nEND`)
  if (python.stdout !== '') expect(JSON.parse(python.stdout)).toEqual(rest)
})

test('the request for the page of a dataset gives its facts, and not its places', async () => {
  const { path, query, variables } = requestOf({ dataset: 'world-airports', isAbout: true })
  expect((await (await t.get(path)).json()).data.slug).toBe('world-airports')
  const { dataset } = (await t.graphql(query, variables)).body.data
  expect(dataset.license).toBe('Unlicense')
  expect(dataset.categories.length).toBeGreaterThan(0)
  expect(dataset.items).toEqual({ total: 17 })
})

test('a key with quotes is one word of the shell command', async () => {
  const { curl = '' } = formsOf(requestOf({}), BASE, `a'; echo broken; '`)
  const { stdout } = await runShell({}, curl.replace('curl -H', "printf '%s|'").replace('-H ', ''))
  expect(stdout).toBe(`Authorization: Bearer a'; echo broken; '|Prefer: handling=strict|${BASE}/v1/datasets|`)
})

test.each([
  ...['', ' JaVaScRiPt:alert(1)'],
  ...words('javascript:alert(1) data:text/html,x vbscript:x file:///etc/passwd http://'),
])('is not shown as a link: %s', (text) => {
  expect(safeUrl(text, BASE)?.protocol ?? 'none').toMatch(text.includes(':') || text === '' ? /^none$/ : /^http/)
})

test.each(['www.museum.go.kr', '/v1/datasets', 'museum'])(
  'text without a scheme is a link only on a base: %s',
  (text) => {
    expect(safeUrl(text)).toBeUndefined()
    expect(safeUrl(text, BASE)?.origin).toBe(BASE)
  },
)

test('a view near a point is no search by name', () => {
  expect(isSearch(parseAddress('text=palace'))).toBe(true)
  expect(isSearch(parseAddress('text=palace&near=37.5,127,1000'))).toBe(false)
})

test('a picture of the sample data is loaded from this server, any other one from its URL', () => {
  expect(pictureUrl('http://10.0.0.1:9/sample/nmk-1.svg', BASE)?.href).toBe(`${BASE}/sample/nmk-1.svg`)
  expect(pictureUrl('https://x.example/sample/../a.png', BASE)?.href).toBe('https://x.example/a.png')
})

test('the frame and the page of the document about embedding are those of the explorer', () => {
  const view = { dataset: 'seoul-landmarks' }
  const text = readFileSync('docs/embed.md', 'utf8')
  for (const write of [embedFrame, embedPage])
    expect(text).toContain(`\`\`\`html\n${write(view, 'https://catalog.example')}\`\`\``)
  expect(text).toContain(`\n${embedKeyCommand(view)}\n`)
  expect(embedFrame({ ...view, category: 'a&b', area: '"' }, '')).toContain('&amp;category=a%26b&amp;area=%22#key')
  const filtered = embedPage({ ...view, category: 'palace' }, 'https://catalog.example')
  expect(filtered).toContain('/tiles/seoul-landmarks/{z}/{x}/{y}.mvt?categoryCode=palace`')
})

test.each([
  ['37.58, 126.98', { latitude: 37.58, longitude: 126.98 }],
  ['-90 180', { latitude: -90, longitude: 180 }],
  ['37.58,126.98,5', undefined],
  ['90.1, 0', undefined],
  ['0, 180.5', undefined],
  ['1e1, 2', undefined],
  ['Seoul', undefined],
])('a coordinate is two numbers in degrees: %s', (text, point) => {
  expect(parseCoordinate(text)).toEqual(point)
})
