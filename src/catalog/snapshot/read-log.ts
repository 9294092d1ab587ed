import { isConflict, isFailure } from '../../database/client.ts'
import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { type Access, type ApiKey, type DatasetAccessFields, mayAccess } from '../access.ts'
import type { Dataset } from '../models.ts'
import type { FeatureCounts } from '../sql/features.ts'
import type { OffsetBookmarks } from '../sql/offset-bookmarks.ts'
import type { Batchers } from '../sql/statement-batcher.ts'
import type { DatasetList } from './dataset-list.ts'

/** The decision of the access rule on a dataset. */
export interface Decision {
  dataset: DatasetAccessFields
  isAllowed: boolean
}

/** The number of items that a read returned, and the dataset if it read only one. */
export interface ItemsRead {
  items: number
  dataset: { id: string; slug: string } | undefined
}

/** The revision of a dataset that a statement saw; null if the dataset does not exist. */
export type SeenRevision = readonly [datasetId: string, revision: bigint | null]

/** Whether the access rule makes the same decisions for a key at the time `now`. */
export function decidesAlike(decisions: readonly Decision[], access: Access, now: Date): boolean {
  for (const { dataset, isAllowed } of decisions) if (mayAccess(access, dataset, now) !== isAllowed) return false
  return true
}

/**
 * The log of one read. A read begins with the list of all datasets, which shows one state of the catalog. The result must show the
 * same state. The log also has what the result depends on.
 */
export class ReadLog {
  readonly #list: DatasetList
  readonly key: ApiKey
  readonly now: Date
  readonly #decisions = new Map<string, Decision>()
  /** The datasets that a statement read without returning their revisions. */
  readonly #unverified = new Set<string>()
  #isAllUnverified = false
  #isMixed = false
  #hasFailed = false
  #dependsOnAll = false
  #dependsOnKey = false
  #items = 0
  #scope: readonly string[] | undefined

  constructor(list: DatasetList, key: ApiKey, now: Date) {
    this.#list = list
    this.key = key
    this.now = now
  }

  /** The revision of a dataset in the list; null if the list does not have it. */
  revisionOf(id: string): bigint | null {
    return this.#list.withId(id)?.revision ?? null
  }

  /** Logs a statement that returned the revisions of the datasets that it read. */
  verify(seen: Iterable<SeenRevision>): void {
    for (const [id, revision] of seen) if (revision !== this.revisionOf(id)) this.#isMixed = true
  }

  /** Logs a statement that reads from these datasets, or from all, and does not return their revisions. */
  leaveUnverified(datasetIds: readonly string[] | 'all'): void {
    if (datasetIds === 'all') this.#isAllUnverified = true
    else for (const id of datasetIds) this.#unverified.add(id)
  }

  /** Logs that a statement did not find a record, which any dataset could have. */
  miss(): void {
    this.leaveUnverified('all')
    this.dependOnAll()
  }

  /** Logs the number of items that a statement returned. */
  countItems(count: number): void {
    this.#items += count
  }

  /** Logs the error of a statement. The cause may be a concurrent change, or the server. */
  fail(error: unknown): void {
    if (isConflict(error)) this.#isMixed = true
    if (isFailure(error)) this.#hasFailed = true
  }

  /** Whether the server has failed. A GraphQL read returns the error and does not throw it. */
  get hasFailed(): boolean {
    return this.#hasFailed
  }

  /** Logs that the result depends on all datasets: on the list, or on the absence of a record in all of them. */
  dependOnAll(): void {
    this.#dependsOnAll = true
  }

  /** Logs that the result shows the key itself and its use, which changes with each request. So it may not be cached. */
  dependOnKey(): void {
    this.#dependsOnKey = true
    this.dependOnAll()
  }

  /** Whether the key may access a dataset (access.ts). Logs the decision. */
  mayAccess(dataset: DatasetAccessFields): boolean {
    const known = this.#decisions.get(dataset.id)
    if (known) return known.isAllowed
    const { id, status, visibility, accessTier } = dataset
    const isAllowed = mayAccess(this.key, dataset, this.now)
    this.#decisions.set(id, { dataset: { id, status, visibility, accessTier }, isAllowed })
    return isAllowed
  }

  /** The UUIDs of the datasets that the key may access. This logs no decision, so the result does not depend on them. */
  get scope(): readonly string[] {
    this.#scope ??= this.#list.all.filter((dataset) => mayAccess(this.key, dataset, this.now)).map(({ id }) => id)
    return this.#scope
  }

  /** The decisions on which the result depends, and whether it depends on all datasets, and on the key itself. */
  get dependencies(): { decisions: readonly Decision[]; onAll: boolean; onKey: boolean } {
    return { decisions: [...this.#decisions.values()], onAll: this.#dependsOnAll, onKey: this.#dependsOnKey }
  }

  get itemsRead(): ItemsRead {
    const [only, second] = this.#decisions.keys()
    const isOne = only !== undefined && second === undefined && !this.#dependsOnAll
    return { items: this.#items, dataset: isOne ? this.#list.withId(only) : undefined }
  }

  /**
   * Whether the result shows the state of the list: each statement must have seen its datasets at their revisions in the list. For
   * statements that did not return these revisions, this compares the revisions of now with the list. If they are equal, nothing has
   * changed since the list was read, because a dataset never has the same revision twice.
   */
  isOneState(reader: SqlReader): boolean | Promise<boolean> {
    if (this.#isMixed) return false
    const ids = this.#isAllUnverified ? this.#list.all.map(({ id }) => id) : [...this.#unverified]
    return ids.length === 0 && !this.#isAllUnverified ? true : this.#areUnchanged(ids, reader)
  }

  async #areUnchanged(ids: readonly string[], reader: SqlReader): Promise<boolean> {
    const where = this.#isAllUnverified ? Prisma.sql`true` : Prisma.sql`id = ANY (${ids}::uuid[])`
    const revisions = Prisma.sql`SELECT id, revision FROM datasets WHERE ${where}`
    const current = await reader.$queryRaw<Pick<Dataset, 'id' | 'revision'>[]>(revisions)
    return current.length === ids.length && current.every(({ id, revision }) => revision === this.revisionOf(id))
  }
}

/** What reads use of one server, or of one transaction. */
export interface ReadSource {
  prisma: Prisma.TransactionClient
  reader: SqlReader
  batchers: Batchers
  /** What requests share. A read in a transaction uses neither. */
  bookmarks?: OffsetBookmarks
  featureCounts?: FeatureCounts
}

/** Sends the statements of one read. There is no other way to send one, so the log knows what every statement has read. */
export class Statements {
  readonly #server: ReadSource
  readonly #readLog: ReadLog

  constructor(server: ReadSource, readLog: ReadLog) {
    this.#server = server
    this.#readLog = readLog
  }

  /**
   * Runs a statement that returns the revision of each dataset that it reads.
   * @param seenIn returns these revisions
   */
  async verified<Result>(
    run: (server: ReadSource) => Promise<Result>,
    seenIn: (result: Result) => Iterable<SeenRevision>,
  ): Promise<Result> {
    const result = await this.#run(run)
    this.#readLog.verify(seenIn(result))
    return result
  }

  /** Runs statements that read from these datasets, or from all. They are verified at the end of the read. */
  unverified<Result>(
    datasetIds: readonly string[] | 'all',
    run: (server: ReadSource) => Promise<Result>,
  ): Promise<Result> {
    this.#readLog.leaveUnverified(datasetIds)
    return this.#run(run)
  }

  #run<Result>(run: (server: ReadSource) => Promise<Result>): Promise<Result> {
    return run(this.#server).catch((error: unknown) => {
      this.#readLog.fail(error)
      throw error
    })
  }
}
