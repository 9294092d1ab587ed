/** The lines that the operator sees when the gateway is ready: its addresses, and commands to try. */
export function startupBanner(url: string, sampleKey: string | undefined): string[] {
  const address = [`Dataset Catalog at ${url}`, `GraphiQL at ${url}/graphql`, `API reference at ${url}/docs`]
  if (sampleKey === undefined) {
    return [...address, 'Create an API key: npx catalog keys create --name NAME']
  }
  const curl = `curl -H 'Authorization: Bearer ${sampleKey}'`
  return [
    ...address,
    '',
    `Sample key, shown this once: ${sampleKey}`,
    '',
    'Try:',
    `  ${curl} '${url}/v1/datasets'`,
    `  ${curl} '${url}/v1/dataset-items/nearby?latitude=37.5796&longitude=126.977&radius=2000&limit=3'`,
    `  ${curl} -H 'Content-Type: application/json' -d '{"query":"{ dataset(id: \\"seoul-landmarks\\") { name items(limit: 3) { total nodes { name images { altText } parent { name } } } } }"}' '${url}/graphql'`,
  ]
}
