import { describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { hasBrowser, openPage, useVisit, WIDE } from '../support/browser.ts'

/** The views, and where each shows the names that its request has read. */
const VIEWS = {
  '/': '.card h2',
  '/?dataset=seoul-landmarks': '.places a',
  '/?dataset=seoul-landmarks&category=palace': '.places a',
  '/?dataset=seoul-landmarks&view=table&sort=updatedAt&order=desc': 'tbody th',
  '/?dataset=seoul-landmarks&near=37.5796,126.977,2000': '.places a',
  '/?text=gung': '.places a',
  '/?text=gung&view=table&columns=keywords': 'tbody th',
  '/?within=126.9,37.5,127,37.6&at=37.55,126.95,12': '.places a',
  '/?dataset=seoul-landmarks,world-airports': '.compared .places a',
  '/?dataset=seoul-landmarks,world-airports&text=in': '.compared .places a',
  '/?dataset=seoul-landmarks&view=about': '.bars a',
  '/?item=ed9ea7d8-caaf-5cf9-817b-36ba51a4744b': '.view h1',
} as const

/** All names and labels in an answer. Of a label in two scripts, the page shows one. */
function namesIn(answer: unknown): string[] {
  if (typeof answer !== 'object' || answer === null) return []
  return Object.entries(answer).flatMap(([key, value]) =>
    typeof value === 'string' && ['name', 'label', 'code'].includes(key) ? value.split(' / ') : namesIn(value),
  )
}

describe.skipIf(!hasBrowser)('The request that a view shows', () => {
  const t = useApp({ data: 'sample' })
  const visit = useVisit(t, WIDE, { map: false, hasKey: true })

  test.each(Object.entries(VIEWS))(
    'is the one that it has sent, and gives what is on the screen: %s',
    async (address, names) => {
      const { page } = visit
      const sent: string[] = []
      page.on('request', (request) => {
        if (request.url().endsWith('/graphql')) sent.push(JSON.parse(request.postData() ?? '{}').query)
      })
      await page.goto(t.url + address)
      await page.locator(names).first().waitFor()
      await page.locator('.request > summary').click()
      await page.locator('.request').getByRole('button', { name: 'GraphQL', exact: true }).click()
      const shown = (await page.locator('.request > pre').textContent()) ?? ''
      expect(sent).toContain(shown)
      const { body } = await t.graphql(shown)
      expect(body.errors).toBeUndefined()
      const onScreen = await page.locator(names).allTextContents()
      expect(namesIn(body.data)).toEqual(expect.arrayContaining(onScreen))
      page.removeAllListeners('request')
    },
  )
  test('needs one request of the API for the first name of the first page, and 15 in all', async () => {
    const { page, errors } = await openPage(visit.browser, t.url, WIDE)
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.url()))
    await page.goto(`${t.url}/#key=${t.key}`, { waitUntil: 'commit' })
    await page.locator('.card h2 a').first().waitFor()
    expect(sent.filter((url) => url.endsWith('/graphql'))).toHaveLength(1)
    expect(sent.length).toBeLessThanOrEqual(15)
    expect(errors).toEqual([])
    await page.close()
  })
})
