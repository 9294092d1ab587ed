import { hash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { giveKey, hasBrowser, openBrowser, WIDE } from './support/browser.ts'
import { useFolder } from './support/folder.ts'
import { CHECKOUT, runProcess, startProcess } from './support/process.ts'
import { xlsx } from './support/xlsx.ts'
import { expectAnswers, openReleasedFolder, RELEASES } from './upgrade/released.ts'

/*
 * The package as a stranger installs it: in an empty folder, with the Node of this project and the oldest one that it supports.
 */

const OLDEST = '22.15.0'
const inFolder = useFolder()
let tarball = ''

beforeAll(async () => {
  tarball = await pack('first')
})

async function pack(name: string): Promise<string> {
  const target = inFolder(name)
  await mkdir(target)
  await run(CHECKOUT, dirname(process.execPath), `npm pack --pack-destination ${target}`)
  return join(target, 'dataset-catalog-1.0.0-rc.1.tgz')
}

/** Runs a script in a folder, with the Node of another folder, and returns what it prints. */
async function run(cwd: string, nodeFolder: string, script: string): Promise<string> {
  // npm finds its registry in the environment and in the home of the user.
  const variables = { ...process.env, PATH: `${nodeFolder}:/usr/local/bin:/usr/bin:/bin` }
  const { code, stdout, stderr } = await runProcess('bash', ['-euc', `cd '${cwd}'; ${script}`], variables)
  expect(code, stderr).toBe(0)
  return stdout
}

test('two packages of one commit are equal, and small; the list of licences is the committed one', async () => {
  const licences = await run(CHECKOUT, dirname(process.execPath), 'git status --porcelain THIRD_PARTY.md')
  const [first, second] = await Promise.all([tarball, await pack('second')].map((path) => readFile(path)))
  expect(hash('sha256', second ?? '')).toBe(hash('sha256', first ?? ''))
  expect(first?.length).toBeLessThan(15e6)
  expect(licences).toBe('')
})

test('the list of contents for a release names what is shipped', async () => {
  const components = z.array(z.looseObject({ name: z.string(), scope: z.literal('required') }))
  const sbom = z.object({ bomFormat: z.literal('CycloneDX'), metadata: z.object({ component: z.json() }), components })
  const printed = await run(CHECKOUT, dirname(process.execPath), 'node package/sbom.js')
  const { metadata, components: listed } = sbom.parse(JSON.parse(printed))
  expect(metadata.component).toMatchObject({ name: 'dataset-catalog', version: '1.0.0-rc.1' })
  const names = listed.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['@electric-sql/pglite', 'graphql', '@scalar/api-reference']))
  const openssl = {
    name: 'OpenSSL',
    version: process.versions.openssl,
    cpe: expect.stringContaining('openssl:openssl'),
  }
  expect(listed).toContainEqual(expect.objectContaining(openssl))
  expect(names).not.toContain('vitest')
})

test('OpenVEX says which vulnerable packages are shipped', async () => {
  const { packages } = JSON.parse(await readFile(join(CHECKOUT, 'package-lock.json'), 'utf8'))
  const advisory = (name: string, id: string) => ({
    name,
    url: `https://github.com/advisories/${id}`,
    title: `In ${name}`,
  })
  const audit = {
    vulnerabilities: {
      graphql: { via: [advisory('graphql', 'GHSA-1111-aaaa-2222')], nodes: ['node_modules/graphql'] },
      '@biomejs/biome': {
        via: [advisory('@biomejs/biome', 'GHSA-3333-bbbb-4444')],
        nodes: ['node_modules/@biomejs/biome'],
      },
      'graphql-yoga': { via: ['graphql'], nodes: ['node_modules/graphql-yoga'] },
    },
  }
  const vex = async (audit: object) => {
    await writeFile(inFolder('audit.json'), JSON.stringify(audit))
    return run(CHECKOUT, dirname(process.execPath), `node package/vex.js <'${inFolder('audit.json')}'`)
  }
  const products = (name: string, version: string) => [
    { '@id': 'pkg:npm/dataset-catalog@1.0.0-rc.1', subcomponents: [{ '@id': `pkg:npm/${name}@${version}` }] },
  ]
  expect(JSON.parse(await vex(audit))).toEqual({
    '@context': 'https://openvex.dev/ns/v0.2.0',
    '@id': expect.stringMatching(/^urn:uuid:/),
    author: 'Dataset Catalog',
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    version: 1,
    tooling: 'npm audit',
    statements: [
      {
        vulnerability: {
          '@id': 'https://github.com/advisories/GHSA-1111-aaaa-2222',
          name: 'GHSA-1111-aaaa-2222',
          description: 'In graphql',
        },
        products: products('graphql', packages['node_modules/graphql'].version),
        status: 'under_investigation',
      },
      {
        vulnerability: {
          '@id': 'https://github.com/advisories/GHSA-3333-bbbb-4444',
          name: 'GHSA-3333-bbbb-4444',
          description: 'In @biomejs/biome',
        },
        products: products('%40biomejs/biome', packages['node_modules/@biomejs/biome'].version),
        status: 'not_affected',
        justification: 'component_not_present',
      },
    ],
  })
  expect(await vex({ vulnerabilities: {} })).toBe('')
  await expect(vex({ message: 'no network' })).rejects.toThrow('npm audit has failed: no network')
})

test('a Node that is too old gets one line', async () => {
  const launcher = join(CHECKOUT, 'package/catalog.js')
  await writeFile(inFolder('old.cjs'), `Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } })`)
  const { code, stdout, stderr } = await runProcess(process.execPath, ['--require', inFolder('old.cjs'), launcher], {})
  const reason = 'Node 22.15 or newer is needed; this one is 20.20.2'
  const advice = 'to get one for this folder only: npm install node@24'
  expect([code, stdout, stderr]).toEqual([1, '', `catalog: ${reason}; ${advice}\n`])
})

test.for(['the Node of this project', OLDEST])(
  'on %s, the package serves, imports, shows, and opens what releases wrote',
  async (version) => {
    const home = await mkdtemp(inFolder('installed-'))
    let node = dirname(process.execPath)
    if (version === OLDEST) {
      await run(home, node, `mkdir node && cd node && echo '{}' >package.json && npm install --no-audit node@${OLDEST}`)
      node = join(home, 'node/node_modules/node/bin')
    }
    const app = join(home, 'app')
    await run(home, node, `mkdir app && cd app && echo '{}' >package.json && npm install --no-audit ${tarball}`)
    const megabytes = Number(await run(app, node, 'du -sm node_modules | cut -f 1'))
    expect(megabytes).toBeLessThan(150)
    expect(await run(app, node, 'node_modules/.bin/catalog --version')).toBe('1.0.0-rc.1\n')

    const gateway = await startInstalled(app, node)
    const get = (path: string) => fetch(gateway.url + path, { headers: { authorization: `Bearer ${gateway.key}` } })
    const statusOf = async (path: string) => {
      const response = await get(path)
      await response.arrayBuffer()
      return response.status
    }
    expect(await statusOf('/readyz')).toBe(200)
    expect(await statusOf('/v1/datasets/world-airports')).toBe(200)
    const query = '{ nearbyItems(latitude: 37.576, longitude: 126.977, radius: 100) { total } }'
    expect(await (await get(`/graphql?query=${encodeURIComponent(query)}`)).json()).toEqual({
      data: { nearbyItems: { total: 1 } },
    })
    expect(await statusOf('/exports/world-airports.parquet')).toBe(200)
    expect(await statusOf('/docs')).toBe(200)
    const [, assets = ''] = /(\/assets\/\w+)\//.exec(await (await get('/')).text()) ?? []
    for (const path of ['lib/graphiql/graphiql.js', 'lib/scalar/scalar.js', 'lib/world/3/6/3.mvt', 'explorer/map.js']) {
      expect([path, await statusOf(`${assets}/${path}`)]).toEqual([path, 200])
    }

    await writeFile(join(app, 'places.csv'), 'id;name;x;y\n1;Kirche;691603,032;5334780,031\n')
    await writeFile(
      join(app, 'places.xlsx'),
      xlsx({
        Places: [
          ['id', 'name', 'x', 'y'],
          ['2', 'Dom', 691604, 5334781],
        ],
      }),
    )
    const columns = { externalId: 'id', name: 'name', longitude: 'x', latitude: 'y' }
    const codes = { categoryCode: { value: 'church' }, administrativeAreaCode: { value: '09' } }
    const items = ['places.csv', 'places.xlsx'].map((file) => ({
      file,
      crs: 'EPSG:25832',
      ...(file.endsWith('.csv') && { decimal: ',', delimiter: ';' }),
      columns: { ...columns, ...codes },
    }))
    const dataset = { slug: 'munich', name: 'Munich', status: 'active', visibility: 'public', attribution: 'Test' }
    await writeFile(join(app, 'manifest.json'), JSON.stringify({ dataset, items }))
    expect(await run(app, node, 'node_modules/.bin/dataset-catalog import --json manifest.json')).toContain(
      '"created":2',
    )
    const list = z.object({ data: z.array(z.object({ name: z.string(), latitude: z.string() })) })
    const { data } = list.parse(await (await get('/v1/datasets/munich/items')).json())
    expect(data.map(({ name, latitude }) => [name, Number(latitude).toFixed(3)])).toEqual([
      ['Dom', '48.137'],
      ['Kirche', '48.137'],
    ])

    if (hasBrowser) {
      const { browser, page, errors, foreign } = await openBrowser(gateway.url, WIDE)
      await page.goto(`${gateway.url}/?dataset=world-airports`)
      await giveKey(page, gateway.key)
      await page.getByText(/places, by name/).waitFor()
      expect((await page.screenshot()).length).toBeGreaterThan(10_000)
      expect([errors, foreign]).toEqual([[], []])
      await browser.close()
    }
    expect(await gateway.stop()).toBe(0)

    let upgradeMs = 0
    for (const release of RELEASES) {
      const data = join(home, release)
      await mkdir(data)
      const { env, expected } = await openReleasedFolder(release, data)
      const upgraded = await startInstalled(app, node, env)
      upgradeMs = upgraded.startMs
      await expectAnswers(upgraded.url, expected)
      expect(await upgraded.stop()).toBe(0)
    }
    const tarballMegabytes = ((await stat(tarball)).size / 1e6).toFixed(1)
    const seconds = [gateway.startMs, upgradeMs].map((milliseconds) => (milliseconds / 1_000).toFixed(1))
    const figures = `tarball ${tarballMegabytes} MB, installed ${megabytes} MB, first start ${seconds[0]} s, after an upgrade ${seconds[1]} s`
    process.stdout.write(`On ${version}: ${figures}\n`)
  },
)

async function startInstalled(app: string, node: string, settings: Record<string, string> = {}) {
  const start = performance.now()
  const child = startProcess(join(node, 'node'), ['node_modules/.bin/catalog', 'serve'], {
    cwd: app,
    env: { PATH: `${node}:/usr/bin:/bin`, PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout?.on('data', (data) => {
    printed += data
  })
  // The last line: a request with the sample key, or how to create a key.
  await expect.poll(() => printed).toMatch(/\/graphql'\n|keys create .*\n/)
  const startMs = performance.now() - start
  const [url = ''] = /http:\/\/[\d.:]+/.exec(printed) ?? []
  const [key = ''] = /dck_[\w-]+/.exec(printed) ?? []
  const stop = async () => {
    child.kill('SIGTERM')
    return new Promise<number | null>((resolve) => child.once('exit', resolve))
  }
  return { url, key, startMs, stop }
}
