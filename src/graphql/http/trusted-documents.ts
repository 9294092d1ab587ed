import { readFile } from 'node:fs/promises'
import { parse, validate } from 'graphql'
import { z } from 'zod'
import { messageOf, operationFailed } from '../../errors.ts'
import { schema } from '../schema.ts'
import type { TrustedDocuments } from './persisted-documents.ts'

const documents = z.record(z.string().min(1), z.string())

/**
 * Reads the file of trusted documents: a JSON object of documents by hash, as code generators write it.
 * @returns undefined if there is no path
 * @throws `OPERATION_FAILED` if the file can't be read or has another form, or if a document is not valid in this schema
 */
export async function readTrustedDocuments(path: string | undefined): Promise<TrustedDocuments | undefined> {
  if (path === undefined) return undefined
  try {
    const trusted = new Map(Object.entries(documents.parse(JSON.parse(await readFile(path, 'utf8')))))
    for (const [hash, document] of trusted) {
      const [invalid] = validate(schema, parse(document))
      if (invalid) throw operationFailed(`the document ${hash} is not valid: ${invalid.message}`)
    }
    return trusted
  } catch (error) {
    throw operationFailed(`TRUSTED_DOCUMENTS ${path} can't be used: ${messageOf(error)}`, error)
  }
}
