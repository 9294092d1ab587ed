import type { ChangeFeed } from '../../database/change-feed.ts'
import type { Shared } from '../app.ts'
import type { Answer, Question } from './messages.ts'
import type { WorkerProcess } from './worker-process.ts'

/** Returns the answer to a worker's question. */
export async function answer(
  shared: Shared & { changeFeed: ChangeFeed },
  worker: WorkerProcess,
  question: Question,
): Promise<Answer> {
  const { rateLimits, exportSlots, registeredDocuments, changeFeed } = shared
  switch (question.ask) {
    case 'countRequest':
      return { allowance: await rateLimits.countRequest(question.keyId, question.requestsPerMinute) }
    case 'countItems':
      return { allowance: await rateLimits.countItems(question.keyId, question.itemsPerMinute, question.items) }
    case 'countRefusal':
      return { allowance: await rateLimits.countRefusal(question.network) }
    case 'beginExport': {
      const mayExport = await exportSlots.take(question.keyId)
      if (mayExport) worker.exportingKeys.push(question.keyId)
      return { mayExport }
    }
    case 'findDocument':
      return { query: await registeredDocuments.find(question.hash) }
    case 'registerDocument':
      await registeredDocuments.register(question.hash, question.query)
      return {}
    case 'announced':
      await changeFeed.announced()
      return {}
  }
}
