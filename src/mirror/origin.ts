import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { isSlug } from '../catalog/arguments.ts'
import { VERSION } from '../config/version.ts'
import { messageOf, operationFailed } from '../errors/errors.ts'
import { parseJson } from '../json.ts'

/* The catalog that is copied, over HTTP. */

/** A page of changes, or why there is none. */
export type Answer =
  | { kind: 'page'; datasetId: string | undefined; lines: readonly string[]; cursor: string; isComplete: boolean }
  /** The copy begins again. */
  | { kind: 'expired' }
  /** The key has no access any more, or the dataset is not there any more. */
  | { kind: 'refused'; reason: string }

interface OriginOptions {
  /** The URL of the catalog, without a path of its own. */
  url: string
  key: string
  /** Whether to ask for ever. Otherwise an origin that is away fails after some attempts. */
  isPatient: boolean
  /** Called with why the origin is asked again, and after how many seconds. */
  onRetry: (reason: string, seconds: number) => void
}

const end = z.strictObject({ cursor: z.string(), complete: z.boolean() })
/** A slug is the name of a file, so another catalog must not give what is none. */
const datasets = z.object({ data: z.array(z.object({ id: z.string(), slug: z.string().refine(isSlug) })) })
const failure = z.object({ error: z.object({ message: z.string() }) })

/** The greatest number of items on a page. A page ends after a megabyte anyway. */
const LIMIT = 10_000
const TIMEOUT_MS = 60_000
const MAX_REDIRECTS = 5
/** Impatient requests are tried so often: for about a minute. */
const ATTEMPTS = 7
const LONGEST_PAUSE_SECONDS = 60

/** The origin is away, or busy. */
class Unavailable extends Error {
  /** As `Retry-After` says. */
  readonly seconds: number

  constructor(reason: string, seconds = 0) {
    super(reason)
    this.seconds = seconds
  }
}

/** The catalog that is copied. It never gives its key to another origin. */
export class Origin {
  readonly url: string
  readonly #options: OriginOptions
  readonly #stopped = new AbortController()

  constructor(options: OriginOptions) {
    this.url = options.url.replace(/\/+$/, '')
    this.#options = options
  }

  /** Ends all requests and pauses with an error. */
  stop(): void {
    this.#stopped.abort()
  }

  /** Waits, in seconds. */
  pause(seconds: number): Promise<void> {
    return sleep(1_000 * seconds, undefined, { signal: this.#stopped.signal })
  }

  /** All datasets that the key may access. */
  async datasets(): Promise<{ id: string; slug: string }[]> {
    return this.#retrying(async () => {
      const response = await this.#get('/v1/datasets', {}, 0)
      await requireSuccess(response)
      return datasets.parse(await response.json()).data
    })
  }

  /** The next page of a dataset's changes. With nothing new, it comes after `waitSeconds` at the latest. */
  async page(dataset: string, since: string | undefined, waitSeconds: number): Promise<Answer> {
    const query = new URLSearchParams({ limit: String(LIMIT), ...(since !== undefined && { since }) })
    const prefer = waitSeconds > 0 ? { prefer: `wait=${waitSeconds}` } : {}
    return this.#retrying(async () => {
      const response = await this.#get(`/changes/${encodeURIComponent(dataset)}?${query}`, prefer, waitSeconds)
      if (response.status === 410) {
        await response.body?.cancel()
        return { kind: 'expired' }
      }
      if (response.status === 403 || response.status === 404)
        return { kind: 'refused', reason: `${response.status}: ${await reasonOf(response)}` }
      await requireSuccess(response)
      const lines = (await textOf(response)).split('\n')
      // Only a body that ends with its last line is whole.
      const last = lines.splice(-2)
      const parsed = last[1] === '' ? end.safeParse(parseJson(last[0] ?? '')) : undefined
      if (!parsed?.success) throw new Unavailable('the page is not whole')
      const [, datasetId] = /\/changes\/([^/?]+)\?/.exec(response.headers.get('link') ?? '') ?? []
      return { kind: 'page', datasetId, lines, cursor: parsed.data.cursor, isComplete: parsed.data.complete }
    })
  }

  async #get(path: string, headers: Record<string, string>, waitSeconds: number): Promise<Response> {
    let url = new URL(this.url + path)
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const response = await fetch(url, {
        headers: {
          authorization: `Bearer ${this.#options.key}`,
          'user-agent': `catalog-mirror/${VERSION}`,
          ...headers,
        },
        redirect: 'manual',
        signal: AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(TIMEOUT_MS + 1_000 * waitSeconds)]),
      }).catch((error: unknown) => {
        throw new Unavailable(reasonOfError(error))
      })
      const location = response.headers.get('location')
      if (response.status < 300 || response.status >= 400 || location === null) return response
      await response.body?.cancel()
      const next = new URL(location, url)
      if (next.origin !== url.origin)
        throw operationFailed(
          `${url.origin} redirects to ${next.origin}, which would get the key; give its URL instead`,
        )
      url = next
    }
    throw operationFailed(`${this.url} redirects in a circle`)
  }

  /** Tries again while the origin is away: after `Retry-After`, or after a pause that doubles, with a random part. */
  async #retrying<Result>(work: () => Promise<Result>): Promise<Result> {
    const { isPatient, onRetry } = this.#options
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error
        if (!isPatient && attempt === ATTEMPTS)
          throw operationFailed(`${this.url} can't be read: ${error.message}`, error)
        const pause = Math.min(LONGEST_PAUSE_SECONDS, 2 ** (attempt - 1))
        const seconds = Math.max(error.seconds, pause * (0.5 + Math.random() / 2))
        onRetry(error.message, Math.round(seconds))
        await this.pause(seconds)
      }
    }
  }
}

/** @throws Unavailable; `OPERATION_FAILED` for an answer that will stay */
async function requireSuccess(response: Response): Promise<void> {
  if (response.status === 200) return
  const reason = `${response.status}: ${await reasonOf(response)}`
  if (response.status < 500 && response.status !== 429 && response.status !== 408) {
    const advice = response.status === 401 ? '; set CATALOG_API_KEY to a key of that catalog' : ''
    throw operationFailed(`${new URL(response.url).origin} answers ${reason}${advice}`)
  }
  throw new Unavailable(reason, Number(response.headers.get('retry-after') ?? 0) || 0)
}

/** What the body of an error says. */
async function reasonOf(response: Response): Promise<string> {
  const parsed = failure.safeParse(parseJson(await textOf(response)))
  return parsed.success ? parsed.data.error.message : response.statusText
}

async function textOf(response: Response): Promise<string> {
  return response.text().catch((error: unknown) => {
    throw new Unavailable(reasonOfError(error))
  })
}

/** `fetch` says only that it failed; its cause says why. */
function reasonOfError(error: unknown): string {
  return messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error)
}
