import { describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { axeFindings, cutRings, hasBrowser, PHONE, useVisit, WIDE } from '../support/browser.ts'

/** The pages, and an element that each has when it is complete. */
const PAGES = [
  ['', '.card'],
  ['?dataset=seoul-landmarks,world-airports', '.compared .places li'],
  ['?dataset=seoul-landmarks&view=about', '.bars'],
  ['?dataset=seoul-landmarks&near=37.5796,126.977,1500', '.places li'],
  ['?text=qqqqqqq', '.view h1'],
  ['?dataset=no-such-dataset', '.problem'],
  ['graphql', '.graphiql-doc-explorer, .graphiql-query-editor .view-line'],
  ['ogc', '#ogc h1'],
  ['docs', '.scalar-app'],
  ['?dataset=seoul-landmarks&category=palace', '.places'],
  ['?dataset=seoul-landmarks&view=table', '.table-frame tbody th'],
  ['?dataset=seoul-landmarks&item=ed9ea7d8-caaf-5cf9-817b-36ba51a4744b', '.members'],
] as const

describe.skipIf(!hasBrowser)('axe finds nothing, and no focus ring is cut', () => {
  const t = useApp({ data: 'sample' })
  const visit = useVisit(t, WIDE, { map: false, hasKey: true })

  test.each(PAGES)('in %s, light and dark, and on a phone', async (address, complete) => {
    await visit.page.goto(`${t.url}/${address}`)
    await visit.page.locator(complete).first().waitFor()
    for (const [colorScheme, size] of [
      ['light', WIDE],
      ['dark', WIDE],
      ['light', PHONE],
    ] as const) {
      await visit.page.setViewportSize(size)
      await visit.page.emulateMedia({ colorScheme })
      // GraphiQL chooses its theme when it starts.
      await visit.page.reload()
      await visit.page.locator(complete).first().waitFor()
      await visit.page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
      // Scalar and GraphiQL draw their pages bit by bit.
      await expect.poll(() => axeFindings(visit.page), { interval: 1000 }).toEqual([])
    }
    expect(await cutRings(visit.page)).toEqual([])
  })
})
