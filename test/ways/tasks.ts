import type { Browser, Page } from 'playwright-core'
import { LARGE, openPage, PHONE } from '../support/browser.ts'
import { type Acts, Person } from './person.ts'

type Task = readonly [title: string, act: (acts: Acts, page: Page) => Promise<void>, size?: typeof LARGE]

const card = (page: Page) => page.locator('.card a').first()
const control = (page: Page, name: string) => page.locator('.control-row').getByText(name, { exact: true })

/** Each begins at `/`, by a person who has never seen the explorer. */
const TASKS: readonly Task[] = [
  [
    'find a place by a misspelt name',
    async (acts, page) => {
      await acts.click(page.getByRole('combobox', { name: 'Search' }))
      await acts.type(page, 'seol tower')
      await acts.click(page.getByRole('listbox').getByText('N Seoul Tower'))
      await acts.see(page.getByRole('heading', { name: 'N Seoul Tower' }))
    },
  ],
  [
    'what is near me',
    async (acts, page) => {
      await acts.click(control(page, 'Nearby'))
      await acts.click(page.getByRole('button', { name: 'My location' }))
      await acts.see(page.getByText('within 1 km, nearest first'))
    },
  ],
  [
    'one category on the map',
    async (acts, page) => {
      await acts.click(card(page))
      await acts.click(page.locator('.legend').getByText('Palace'))
      await acts.see(page.getByText('4 places with these filters'))
    },
  ],
  [
    'one category and one area, by the form',
    async (acts, page) => {
      await acts.click(card(page))
      await acts.click(control(page, 'Filters'))
      for (const [field, value] of [
        ['Category', 'Palace'],
        ['Area', 'Jung-gu'],
      ] as const) {
        await acts.click(page.getByRole('combobox', { name: field, exact: true }))
        await acts.click(page.getByRole('listbox').getByText(value))
      }
      await acts.see(page.getByText('1 place with these filters'))
    },
  ],
  [
    'compare two datasets',
    async (acts, page) => {
      for (const name of ['Seoul Landmarks', 'World Airports'])
        await acts.click(page.getByRole('checkbox', { name: `Compare: ${name}` }))
      await acts.click(control(page, 'Compare'))
      await acts.see(page.locator('.compared section').nth(1))
    },
  ],
  [
    'share a view',
    async (acts, page) => {
      await acts.click(card(page))
      await acts.click(page.getByRole('button', { name: 'Share' }))
      await acts.see(page.getByText('Link copied; it needs a key'))
    },
  ],
  [
    'all places as CSV',
    async (acts, page) => {
      await acts.click(card(page))
      await acts.click(control(page, 'Download'))
      const download = page.waitForEvent('download')
      await acts.click(page.locator('.controls').getByRole('button', { name: 'CSV' }))
      await acts.wait(() => download)
    },
  ],
  [
    'copy the view as a request',
    async (acts, page) => {
      await acts.click(card(page))
      await acts.click(page.getByText('For developers'))
      await acts.click(page.locator('.request').getByRole('button', { name: 'Copy' }))
      await acts.see(page.getByRole('button', { name: 'Copied' }))
    },
  ],
  [
    'the limits of my key',
    async (acts, page) => {
      await acts.click(page.getByText('Key in use'))
      await acts.see(page.getByText('Requests per minute'))
    },
  ],
  [
    'the pictures of a place on a phone',
    async (acts, page) => {
      await acts.click(card(page))
      await acts.click(page.getByRole('link', { name: 'Changdeokgung Palace' }))
      await acts.see(page.locator('.pictures img'))
    },
    PHONE,
  ],
  [
    'where a dataset comes from, and its date',
    async (acts, page) => {
      await acts.click(page.locator('.card').getByText('World Airports'))
      await acts.click(control(page, 'About'))
      await acts.see(page.getByText('Date of the source'))
    },
  ],
  [
    'what changed last',
    async (acts, page) => {
      await acts.click(card(page))
      await acts.click(control(page, 'Table'))
      await acts.click(page.locator('thead').getByText('Changed'))
      await acts.see(page.locator('tbody tr'))
    },
  ],
]

/** Does the tasks. The page itself counts the clicks and keystrokes, so that none is forgotten. */
export async function tasks(browser: Browser, url: string, key: string): Promise<Person> {
  const person = new Person('Tasks in the explorer, each from /')
  for (const [title, act, size = LARGE] of TASKS) {
    const { page } = await openPage(browser, url, size)
    const context = page.context()
    await context.grantPermissions(['clipboard-write', 'geolocation'])
    await context.setGeolocation({ latitude: 37.5796, longitude: 126.977 })
    await page.goto(`${url}/#key=${key}`)
    await page.locator('.card').first().waitFor()
    await page.evaluate(`
      globalThis.counted = { pointerdown: 0, keydown: 0 }
      for (const type in counted) addEventListener(type, () => { counted[type] += 1 }, true)`)
    await person.does(title, async (acts) => {
      await act(acts, page)
      const { pointerdown, keydown } = await page.evaluate<{ pointerdown: number; keydown: number }>('counted')
      if (pointerdown !== acts.step.clicks || keydown !== acts.step.keys)
        throw new Error(`${title}: the page has counted ${pointerdown} clicks and ${keydown} keys`)
    })
    await page.close()
  }
  return person
}
