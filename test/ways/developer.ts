import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { LARGE, openPage } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { CHECKOUT } from '../support/process.ts'
import { Person } from './person.ts'
import { blocks, find, page, sh, shellEnv, start } from './shell.ts'

/** A developer with a clone: from `git clone` to own places on a map, by the commands of the README. */
export async function developer(browser: Browser, folder: string): Promise<Person> {
  const person = new Person('A developer with a clone sees own places on a map')
  const readme = page('README.md')
  const port = await freePort()
  const env = shellEnv(port)
  const clone = join(folder, 'dataset-catalog')
  await person.does('reads the first page, clones', async (acts) => {
    acts.read(readme.slice(0, readme.indexOf('Or as a package')))
    const line = find(readme, /^ {4}(git clone REPOSITORY .*?) +#/m)
    await acts.command(() => sh(folder, env, line.replace('REPOSITORY', CHECKOUT)))
  })
  const gateway = await person.does('installs and starts', async (acts) => {
    const line = find(readme, /^ {4}(npm ci && npm start) +#/m)
    const started = await acts.command(() => start(clone, env, line, /Dataset Catalog at http.*\n/))
    acts.read(find(started.printed, /Dataset Catalog at .*/))
    return started
  })
  try {
    // The person has a file already.
    const ownFile = blocks(readme, 'sh').find((block) => block.includes('import init')) ?? ''
    await sh(folder, env, find(ownFile, /^cat > .*?^END$/ms).replace('/tmp/', ''))
    await person.does('reads how to import, goes to the folder in a second terminal', async (acts) => {
      acts.read(readme.slice(0, readme.indexOf(ownFile)).split('\n\n').at(-1) ?? '')
      await acts.command(() => sh(folder, env, 'cd dataset-catalog'))
    })
    const run = (pattern: RegExp) =>
      person.does(find(readme, pattern), async (acts) => {
        const printed = await acts.command(() => sh(clone, env, find(readme, pattern).replace('/tmp/', '../')))
        acts.read(printed)
        return printed
      })
    await run(/^npx dataset-catalog import init .*$/m)
    await run(/^npx dataset-catalog import \/.*$/m)
    const key = find(await run(/^npx dataset-catalog keys create --name my-app .*$/m), /dck_[\w-]+/)
    // At a terminal, the command prints this link too.
    const link = find(readme, /http:\S+#key=dck_\.\.\./)
      .replace('dck_...', key)
      .replace(':4000', `:${port}`)
    const { page: tab } = await openPage(browser, new URL(link).origin, LARGE)
    await person.does('clicks the link, and sees the map', async (acts) => {
      acts.point()
      await acts.wait(() => tab.goto(link))
      await acts.see(tab.locator('.places').getByText('Haeundae Beach'))
      await acts.see(tab.locator('.map:not([data-loading], [data-loading-places])'))
    })
    await tab.close()
  } finally {
    await gateway.stop()
  }
  return person
}
