import { createDocumentMap } from '../operation/document-map.ts'

/** The documents that clients have registered, by their SHA-256 in hexadecimal. */
export interface RegisteredDocuments {
  find: (hash: string) => string | undefined | Promise<string | undefined>
  register: (hash: string, query: string) => void | Promise<void>
}

/** Creates a bounded store of registered documents in this process. */
export function createRegisteredDocuments(): RegisteredDocuments {
  const documents = createDocumentMap<string>((query) => query.length)
  return {
    find: (hash) => documents.get(hash),
    register: (hash, query) => {
      documents.set(hash, query)
    },
  }
}
