import type { Browser, Page } from 'playwright-core'
import { LARGE, openPage, PHONE } from '../support/browser.ts'
import { type Acts, Person } from './person.ts'

type Task = readonly [title: string, act: (acts: Acts, page: Page) => Promise<void>, size?: typeof LARGE]

const card = (page: Page, name = 'Seoul Landmarks') => page.locator('.card').getByRole('link', { name })
const control = (page: Page, name: string) =>
  page
    .locator('.control-row')
    .getByRole('button', { name })
    .or(page.locator('.control-row').getByRole('link', { name }))

/** Follows the first link of the page, to the results. */
const skip = async (acts: Acts, page: Page) => {
  await acts.press(page, 'Tab')
  await acts.press(page, 'Enter')
}
/** From the first page to a dataset, whose heading has the focus then. */
const openDataset = async (acts: Acts, page: Page, name?: string) => {
  await skip(acts, page)
  await acts.open(page, card(page, name))
  await acts.see(page.locator('h1:focus'))
}

/** Types into a field until one option is left, and takes it. */
const choose = async (acts: Acts, page: Page, field: string, text: string) => {
  await acts.goTo(page, page.getByRole('combobox', { name: field, exact: true }))
  await acts.type(page, text)
  await acts.see(page.locator('.option[aria-selected=true]'))
  await acts.press(page, 'Enter')
}

/** Each begins at `/`, by a person who has never seen the explorer, and has no mouse. */
const TASKS: readonly Task[] = [
  [
    'find a place by a misspelt name',
    async (acts, page) => {
      await acts.goTo(page, page.getByRole('combobox', { name: 'Search' }))
      await acts.type(page, 'seol tower')
      const wanted = page.getByRole('option').filter({ hasText: 'N Seoul Tower' }).first()
      await acts.see(wanted)
      while ((await wanted.getAttribute('aria-selected')) !== 'true') await acts.press(page, 'ArrowDown')
      await acts.press(page, 'Enter')
      await acts.see(page.getByRole('heading', { name: 'N Seoul Tower' }))
    },
  ],
  [
    'what is near me',
    async (acts, page) => {
      await skip(acts, page)
      await acts.open(page, control(page, 'Nearby'))
      await acts.open(page, page.getByRole('button', { name: 'My location' }))
      await acts.see(page.getByText('within 1 km, nearest first'))
    },
  ],
  [
    'one category on the map',
    async (acts, page) => {
      await openDataset(acts, page)
      await acts.open(page, page.locator('.legend').getByRole('link', { name: 'Palace' }))
      await acts.see(page.getByText('4 places with these filters'))
    },
  ],
  [
    'one category and one area, by the form',
    async (acts, page) => {
      await openDataset(acts, page)
      await acts.open(page, control(page, 'Filters'))
      await choose(acts, page, 'Category', 'pal')
      await acts.see(page.getByText('4 places with these filters'))
      await choose(acts, page, 'Area', 'jung')
      await acts.see(page.getByText('1 place with these filters'))
    },
  ],
  [
    'compare two datasets',
    async (acts, page) => {
      await skip(acts, page)
      for (const name of ['Seoul Landmarks', 'World Airports']) {
        await acts.goTo(page, page.getByRole('checkbox', { name: `Compare: ${name}` }))
        await acts.press(page, 'Space')
      }
      await acts.goTo(page, control(page, 'Compare'), { isBack: true })
      await acts.press(page, 'Enter')
      await acts.see(page.locator('.compared section').nth(1))
    },
  ],
  [
    'share a view',
    async (acts, page) => {
      await openDataset(acts, page)
      await acts.goTo(page, page.getByRole('button', { name: 'Share' }), { isBack: true })
      await acts.press(page, 'Enter')
      await acts.see(page.getByText('Link copied; it needs a key'))
    },
  ],
  [
    'all places as CSV',
    async (acts, page) => {
      await openDataset(acts, page)
      await acts.open(page, control(page, 'Download'))
      const download = page.waitForEvent('download')
      await acts.open(page, page.locator('.controls').getByRole('button', { name: 'CSV' }))
      await acts.wait(() => download)
    },
  ],
  [
    'copy the view as a request',
    async (acts, page) => {
      await openDataset(acts, page)
      await acts.open(page, page.locator('.request > summary'))
      await acts.open(page, page.locator('.request').getByRole('button', { name: 'Copy' }))
      await acts.see(page.getByRole('button', { name: 'Copied' }))
    },
  ],
  [
    'the limits of my key',
    async (acts, page) => {
      await acts.open(page, page.locator('.key-facts > summary'))
      await acts.see(page.getByText('Requests per minute'))
    },
  ],
  [
    'the pictures of a place on a phone with a keyboard',
    async (acts, page) => {
      await openDataset(acts, page)
      await acts.open(page, page.getByRole('link', { name: 'Changdeokgung Palace' }))
      await acts.see(page.locator('.pictures img'))
    },
    PHONE,
  ],
  [
    'where a dataset comes from, and its date',
    async (acts, page) => {
      await openDataset(acts, page, 'World Airports')
      await acts.open(page, control(page, 'About'))
      await acts.see(page.getByText('Date of the source'))
    },
  ],
  [
    'what changed last',
    async (acts, page) => {
      await openDataset(acts, page)
      await acts.open(page, control(page, 'Table'))
      await acts.open(page, page.locator('thead').getByRole('link', { name: 'Changed' }))
      await acts.see(page.getByRole('link', { name: 'Changed ↑' }))
    },
  ],
]

/** Does the tasks. The page itself counts the clicks and keystrokes, so that none is forgotten. */
export async function tasks(browser: Browser, url: string, key: string): Promise<Person> {
  const person = new Person('Tasks in the explorer, each from /, by keyboard alone')
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
