import { CHECKOUT } from '../support/process.ts'
import { Person } from './person.ts'
import { blocks, commandsOf, find, page, sh } from './shell.ts'

/** A data engineer with three CSV files: the commands of the tutorial, to three partners with different rights. */
export async function dataEngineer(url: string, env: NodeJS.ProcessEnv, folder: string): Promise<Person> {
  const person = new Person('A data engineer shares three CSV files with three partners')
  const localise = (text: string) => text.replaceAll('/tmp/', `${folder}/`).replaceAll('http://127.0.0.1:4000', url)
  const keys: Record<string, string> = {}
  // What comes after the keys is not needed to share.
  const sections = page('docs/tutorial.md').split(/^## /m)
  for (const section of sections.slice(0, 4)) {
    await person.does(find(section, /^(?:# )?(.*)$/m), async (acts) => {
      acts.read(section.replace(/^```.*?^```/gms, ''))
      for (const command of blocks(section, 'sh').flatMap(commandsOf)) {
        // The files are there already.
        const run = () => sh(CHECKOUT, env, localise(command))
        if (command.startsWith('cat >')) await run()
        else {
          const printed = await acts.command(run)
          acts.read(printed)
          const [, name] = /keys create --name (\S+)/.exec(command) ?? []
          if (name !== undefined) keys[name] = find(printed, /dck_[\w-]+/)
        }
      }
    })
  }
  await expectRights(url, keys)
  return person
}

/** Throws an error unless each partner reads what the tutorial says. */
async function expectRights(url: string, keys: Record<string, string>): Promise<void> {
  const read = async (name: string, origin = '') => {
    const headers = { authorization: `Bearer ${keys[name]}`, ...(origin && { origin }) }
    const slugs = ['museums', 'hotels', 'chargers']
    const answers = await Promise.all(slugs.map((slug) => fetch(`${url}/v1/datasets/${slug}/items`, { headers })))
    return slugs.filter((_, n) => answers[n]?.ok).join()
  }
  const found = [await read('maps-site', 'https://maps.example'), await read('travel-app'), await read('grid-operator')]
  const expected = ['museums', 'museums,hotels', 'museums,chargers']
  if (String(found) !== String(expected)) throw new Error(`The partners read ${found.join(' | ')}`)
}
