import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { ITEM } from '../support/catalog.ts'

/*
 * Version 1 of the MCP SDK, which most agents have. `npm run client` installs it; outside CI, the test is skipped without it. test/mcp/
 * has the client of version 2.
 */

const SDK = new URL('codegen/node_modules/@modelcontextprotocol/sdk/dist/esm/client/', import.meta.url)
const isInstalled = process.env.CI !== undefined || existsSync(SDK)

const t = useApp()

async function connect() {
  const [{ Client }, { StreamableHTTPClientTransport }] = await Promise.all(
    ['index.js', 'streamableHttp.js'].map((file) => import(new URL(file, SDK).href)),
  )
  const client = new Client({ name: 'test', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${t.key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${t.url}/mcp`), { requestInit }))
  // From now on, the client compares each result with the `outputSchema` of its tool.
  const { tools }: { tools: { name: string; outputSchema?: object }[] } = await client.listTools()
  return { client, tools }
}

test.skipIf(!isInstalled)('Version 1 of the SDK reads the results of every tool, and its errors', async () => {
  const { client, tools } = await connect()
  const results: Record<string, object> = {
    listDatasets: {},
    getDataset: { datasetId: 'seoul' },
    listItems: { datasetId: 'seoul', parentItemId: null, geojson: true },
    findNearbyItems: { latitude: 37.58, longitude: 126.977, geojson: true },
    getItem: { itemId: ITEM.palace },
    searchItems: { text: 'gwang' },
    suggestItems: { text: 'gwangwamun' },
  }
  expect(Object.keys(results).sort()).toEqual(tools.map(({ name }) => name).sort())
  for (const [name, given] of Object.entries(results)) {
    expect(await client.callTool({ name, arguments: given })).not.toHaveProperty('isError')
    const refusal = await client.callTool({ name, arguments: { ...given, limit: 0, x: 1 } })
    expect(refusal).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('Correct the named') }] })
  }
  const missing = await client.callTool({ name: 'getItem', arguments: { itemId: ITEM.restricted } })
  expect(missing).toMatchObject({ content: [{ text: expect.stringContaining('this API key needs access') }] })
  await client.close()
})
