import type { Config } from '../config/config.ts'
import { VERSION } from '../config/version.ts'

/** An item with a parent and a picture. Its UUID comes from its externalId, so it is the same on every machine. */
const GWANGHWAMUN = 'ed9ea7d8-caaf-5cf9-817b-36ba51a4744b'

/** The lines that the operator sees when the gateway is ready: its addresses, and commands to try; at the first start a base map too, and the key last. */
export function startupBanner(
  url: string,
  sampleKey: string | undefined,
  { baseMap }: Pick<Config, 'baseMap'>,
): string[] {
  const address = [
    `Dataset Catalog at ${url} (version ${VERSION})`,
    `GraphiQL at ${url}/graphql`,
    `API reference at ${url}/docs`,
  ]
  if (sampleKey === undefined) {
    return [...address, 'Create an API key: npx catalog keys create --name NAME']
  }
  // First, because people open the first link. A browser does not send the fragment, so the key is in no request and no log.
  const explore = `Explore the sample: ${url}/#key=${sampleKey}`
  const curl = `curl -H 'Authorization: Bearer ${sampleKey}'`
  const query = `{ item(id: \\"${GWANGHWAMUN}\\") { name parent { name } images { altText originalUrl } } }`
  return [
    explore,
    '',
    ...address,
    '',
    'Visitors need a key, unless PUBLIC_KEY names one that shows them the public datasets.',
    ...(baseMap
      ? []
      : [
          'With streets: BASE_MAP=openfreemap npx catalog serve (browsers then load that map from tiles.openfreemap.org)',
        ]),
    '',
    'Try:',
    `  ${curl} '${url}/v1/datasets'`,
    `  ${curl} '${url}/v1/dataset-items/nearby?latitude=37.5796&longitude=126.977&radius=2000&limit=3'`,
    `  ${curl} -H 'Content-Type: application/json' -d '{"query":"${query}"}' '${url}/graphql'`,
    '',
    `Sample key, shown this once: ${sampleKey}`,
  ]
}
