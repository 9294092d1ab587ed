import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { openDatabase } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import { messageOf, operationFailed } from '../errors.ts'
import { readTrustedDocuments } from '../graphql/trusted-documents.ts'
import { loadSampleData } from '../sample/load.ts'
import { createApp } from './app.ts'
import { welcome } from './welcome.ts'

/**
 * Migrates the database, serves until SIGTERM or SIGINT, and finishes the requests in flight.
 * @param print is given the lines for the operator.
 * @throws `OPERATION_FAILED` when it can't start.
 */
export async function serve(config: Config, print: (line: string) => void): Promise<void> {
  const stopped = stopSignal()
  const trustedDocuments = await readTrustedDocuments(config.trustedDocuments)
  const database = await openDatabase(config.database, { share: false })
  try {
    await database.withSession((session) => migrate(session))
    const sampleKey = config.sampleData ? await loadSampleData(database) : undefined
    const { corsOrigins, speed } = config
    const app = await createApp({ database, corsOrigins, logLevel: 'warn', trustedDocuments, speed })
    try {
      const url = await listen(app, config)
      for (const line of welcome(url, sampleKey)) print(line)
      await stopped
    } finally {
      await app.close()
    }
  } finally {
    await database.close()
  }
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<string> {
  try {
    return await app.listen({ host, port })
  } catch (error) {
    throw operationFailed(`HOST ${host}, PORT ${port} can't be listened on: ${messageOf(error)}`, error)
  }
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve())
    process.once('SIGINT', () => resolve())
  })
}
