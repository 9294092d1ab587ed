import { type ApiRequest, ask, operation } from '../../data/api-request.ts'
import { DATASET_FIELDS, type Dataset } from '../../data/datasets.ts'

/** Returns the request for the datasets, with the number of their items. */
export function datasetsRequest(): ApiRequest<{ datasets: { nodes: Dataset[] } }> {
  const selection = `  datasets {
    total
    nodes { ${DATASET_FIELDS} extent { west south east north } items(limit: 1) { total } }
  }`
  return { path: '/v1/datasets', query: operation('Datasets', {}, selection), variables: {} }
}

export async function readDatasets(signal: AbortSignal): Promise<Dataset[]> {
  return (await ask(datasetsRequest(), signal)).datasets.nodes
}
