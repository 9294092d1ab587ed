import type { Browser } from 'playwright-core'
import { LARGE, openPage } from '../support/browser.ts'
import { Person } from './person.ts'

const PALACE = 'ed9ea7d8-caaf-5cf9-817b-36ba51a4744b'

/** A visitor with a link that somebody has sent: what it shows before the first click. */
export async function visitor(browser: Browser, url: string, key: string): Promise<Person> {
  const person = new Person('A visitor with a link sees the first picture')
  const links = [
    ['a dataset, with a key: map, places and pictures', `/?dataset=seoul-landmarks#key=${key}`, '.places img'],
    ['a place, with a key: its picture', `/?dataset=seoul-landmarks&item=${PALACE}#key=${key}`, '.pictures img'],
    ['a restricted dataset, without a key: whom to ask', '/?dataset=seoul-markets', '.view h1 ~ p'],
  ] as const
  for (const [title, link, sought] of links) {
    const { page } = await openPage(browser, url, LARGE)
    await person.does(title, async (acts) => {
      await acts.wait(() => page.goto(url + link))
      await acts.see(page.locator(sought))
      await acts.wait(() => page.waitForFunction('[...document.images].every((image) => image.naturalWidth > 0)'))
      await acts.see(page.locator('.map:not([data-loading], [data-loading-places])'))
      acts.read((await page.locator('.view > :is(h1, h2, p)').allInnerTexts()).join(' '))
    })
    await page.close()
  }
  return person
}
