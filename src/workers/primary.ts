import type { RateLimits } from '../auth/rate-limit.ts'
import type { Config } from '../config/config.ts'
import { type ChangeFeed, FeedState } from '../database/change-feed.ts'
import type { Database } from '../database/database.ts'
import { countConnections } from '../gateway/admission/connection-limits.ts'
import { countSlots } from '../gateway/admission/fair-share.ts'
import { trustProxies } from '../gateway/admission/proxies.ts'
import type { Readiness } from '../gateway/readiness.ts'
import type { Metrics } from '../gateway/telemetry/metrics.ts'
import { createRegisteredDocuments } from '../graphql/operation/documents.ts'
import type { Shared } from '../server/app.ts'
import { Balancer } from './balancer.ts'
import { listenForConnections } from './listen.ts'
import type { Answer, Question, ToPrimary } from './messages.ts'
import { AddedMetrics } from './metrics.ts'
import type { WorkerProcess } from './worker-process.ts'
import { Workers } from './workers.ts'

interface PrimaryOptions {
  database: Database
  rateLimits: RateLimits
  metrics: Metrics | undefined
  /** Called with a message for the operator. */
  report: (message: string) => void
}

/** The primary process: its workers, the connections that it gives to them, and the counts that they share. */
export class Primary {
  readonly workers: Workers
  /** The metrics of all processes. */
  readonly metrics: AddedMetrics | undefined
  readonly #config: Config
  readonly #shared: Shared
  readonly #balancer: Balancer
  readonly #feed: ChangeFeed
  readonly #feedState = new FeedState()
  #readiness: Readiness['state'] = 'starting'
  #stopListening = () => {}

  /** Starts the workers. */
  constructor(config: Config, { database, rateLimits, metrics, report }: PrimaryOptions) {
    const { limits } = config
    this.#config = config
    this.#shared = {
      rateLimits,
      slots: countSlots(limits),
      registeredDocuments: createRegisteredDocuments(),
    }
    const count = countConnections(limits.maxConnectionsPerAddress, trustProxies(limits.trustedProxies))
    this.#balancer = new Balancer(count, () => this.workers.ready)
    this.metrics = metrics && new AddedMetrics(metrics, () => this.workers.ready)
    this.workers = new Workers({
      count: config.workers,
      startMessage: (index) => ({
        type: 'start',
        index,
        readiness: this.#readiness,
        embeddedUrl: database.embeddedUrl,
        feed: this.#feedState.snapshot(),
      }),
      onMessage: (worker, message) => this.#onMessage(worker, message),
      onEnd: (worker) => this.#onEnd(worker),
      report,
    })
    this.#feed = database.followChanges((event) => {
      this.#feedState.apply(event)
      this.workers.broadcast({ type: 'feed', event })
    })
  }

  /**
   * Starts to accept connections. Returns the URL.
   * @throws `OPERATION_FAILED` if the address can't be listened on
   */
  async listen(): Promise<string> {
    const { url, close } = await listenForConnections(this.#config, (socket) => this.#balancer.accept(socket))
    this.#stopListening = close
    return url
  }

  setReadiness(readiness: Readiness['state']): void {
    this.#readiness = readiness
    this.workers.broadcast({ type: 'readiness', readiness })
  }

  /** Lets the workers complete the requests in flight, and ends them. */
  async close(): Promise<void> {
    this.#stopListening()
    await this.workers.stop()
    this.#balancer.close()
    await this.#feed.close()
  }

  #onMessage(worker: WorkerProcess, message: ToPrimary): void {
    switch (message.type) {
      case 'ready':
        this.#balancer.onReady()
        break
      case 'accepted':
        this.#balancer.onAccepted(worker, message.id)
        break
      case 'closed':
        this.#balancer.onClosed(worker, message.id)
        break
      case 'questions': {
        // The feed may wait for PostgreSQL. It holds no other answer back.
        const groups = Map.groupBy(message.questions, ({ question }) => question.ask === 'announced')
        for (const questions of groups.values()) void this.#answerAll(worker, questions)
        break
      }
      case 'releaseSlot': {
        const { keyId, kind } = message
        const held = worker.slots.findIndex((slot) => slot.keyId === keyId && slot.kind === kind)
        worker.slots.splice(held, 1)
        this.#shared.slots[kind].release(keyId)
        break
      }
      case 'metrics':
        this.metrics?.onValues(worker, message.values)
    }
  }

  async #answerAll(worker: WorkerProcess, questions: readonly { id: number; question: Question }[]): Promise<void> {
    const answering = questions.map(async ({ id, question }) => ({ id, answer: await this.#answer(worker, question) }))
    worker.send({ type: 'answers', answers: await Promise.all(answering) })
  }

  async #answer(worker: WorkerProcess, question: Question): Promise<Answer> {
    const { rateLimits, slots, registeredDocuments } = this.#shared
    switch (question.ask) {
      case 'countRequest':
        return { allowance: await rateLimits.countRequest(question.keyId, question.requestsPerMinute) }
      case 'countItems':
        return { allowance: await rateLimits.countItems(question.keyId, question.itemsPerMinute, question.items) }
      case 'countRefusal':
        return { allowance: await rateLimits.countRefusal(question.network) }
      case 'takeSlot': {
        const { keyId, kind } = question
        const isTaken = await slots[kind].take(keyId)
        if (isTaken) worker.slots.push({ keyId, kind })
        return { isTaken }
      }
      case 'findDocument':
        return { query: await registeredDocuments.find(question.hash) }
      case 'registerDocument':
        await registeredDocuments.register(question.hash, question.query)
        return {}
      case 'announced':
        await this.#feed.announced()
        return {}
    }
  }

  #onEnd(worker: WorkerProcess): void {
    this.#balancer.onEnd(worker)
    for (const { keyId, kind } of worker.slots.splice(0)) this.#shared.slots[kind].release(keyId)
    this.metrics?.onEnd(worker)
  }
}
