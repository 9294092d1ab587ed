import type { Allowance } from '../auth/rate-limit.ts'
import { type ChangeFeed, FeedState } from '../database/change-feed.ts'
import type { SlotKind, Slots } from '../gateway/admission/fair-share.ts'
import { createRegisteredDocuments } from '../graphql/operation/documents.ts'
import type { Shared } from '../server/app.ts'
import { type Answer, isToWorker, type Question, type ToPrimary, type ToWorker } from './messages.ts'

/** Called with each message of the primary that the channel does not handle itself. */
type OnMessage = (message: ToWorker, socket: unknown) => void

/** A worker's channel to the primary process. */
export class PrimaryChannel {
  readonly #feedState = new FeedState()
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #lastQuestion = 0
  #questions: { id: number; question: Question }[] = []

  constructor(onMessage: OnMessage) {
    process.on('message', (message: unknown, socket: unknown) => {
      if (!isToWorker(message)) return
      if (message.type === 'feed') this.#feedState.apply(message.event)
      else if (message.type === 'answers') this.#onAnswers(message.answers)
      else {
        if (message.type === 'start') for (const event of message.feed) this.#feedState.apply(event)
        onMessage(message, socket)
      }
    })
  }

  /** The changes of which the primary receives notifications. */
  get changeFeed(): ChangeFeed {
    return this.#feedState.feed({
      announced: async () => {
        await this.#ask({ ask: 'announced' })
      },
      close: async () => {},
    })
  }

  send(message: ToPrimary): void {
    // Without the primary this process ends, so the message is not needed.
    if (process.connected) process.send?.(message, undefined, undefined, () => {})
  }

  /** The counts and documents that the primary stores for all workers. */
  shared(): Shared {
    const known = createRegisteredDocuments()
    return {
      rateLimits: {
        countRequest: async (keyId, requestsPerMinute) =>
          allowanceOf(await this.#ask({ ask: 'countRequest', keyId, requestsPerMinute })),
        countItems: async (keyId, itemsPerMinute, items) =>
          allowanceOf(await this.#ask({ ask: 'countItems', keyId, itemsPerMinute, items })),
        countRefusal: async (network) => allowanceOf(await this.#ask({ ask: 'countRefusal', network })),
        close: () => {},
      },
      slots: { exports: this.#slots('exports'), waiting: this.#slots('waiting') },
      registeredDocuments: {
        find: async (hash) => {
          const query = (await known.find(hash)) ?? (await this.#ask({ ask: 'findDocument', hash })).query
          if (query !== undefined) await known.register(hash, query)
          return query
        },
        register: async (hash, query) => {
          if ((await known.find(hash)) !== undefined) return
          await this.#ask({ ask: 'registerDocument', hash, query })
          await known.register(hash, query)
        },
      },
    }
  }

  #slots(kind: SlotKind): Slots {
    return {
      take: async (keyId) => (await this.#ask({ ask: 'takeSlot', kind, keyId })).isTaken === true,
      release: (keyId) => this.send({ type: 'releaseSlot', kind, keyId }),
    }
  }

  /** Asks the questions of one turn of the event loop in one message, which takes half of the time of a message for each. */
  #ask(question: Question): Promise<Answer> {
    this.#lastQuestion += 1
    const id = this.#lastQuestion
    if (this.#questions.push({ id, question }) === 1) setImmediate(() => this.#sendQuestions())
    return new Promise((resolve) => this.#waiting.set(id, resolve))
  }

  #sendQuestions(): void {
    this.send({ type: 'questions', questions: this.#questions })
    this.#questions = []
  }

  #onAnswers(answers: readonly { id: number; answer: Answer }[]): void {
    for (const { id, answer } of answers) {
      this.#waiting.get(id)?.(answer)
      this.#waiting.delete(id)
    }
  }
}

function allowanceOf({ allowance }: Answer): Allowance {
  if (!allowance) throw new TypeError('The primary process did not count the request')
  return allowance
}
