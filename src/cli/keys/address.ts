import { readConfig } from '../../config/config.ts'
import { urlOf } from '../../config/url.ts'
import { findAnnouncedUrl } from '../../embedded/embedded.ts'

/** An address without a gateway usually refuses at once. A gateway on a busy machine may take long. */
const TIMEOUT_MS = 5_000

/**
 * Finds the address of the gateway that runs on the configured database: the one that has the embedded database open, or else the one
 * that the settings name, if a gateway answers there. Behind a proxy, only the path is known.
 * @returns undefined if no gateway answers
 */
export async function findGateway(): Promise<string | undefined> {
  const { database, host, port } = readConfig(process.env)
  const announced = database.kind === 'embedded' ? await findAnnouncedUrl(database.dataDir) : undefined
  if (announced !== undefined || database.kind === 'embedded') return announced
  const url = urlOf({ address: host, port })
  const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => undefined)
  return answer?.ok && answer.headers.has('x-request-id') ? url : undefined
}
