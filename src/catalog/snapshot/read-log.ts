import { isConflict, isFailure } from '../../database/client.ts'
import type { SqlReader } from '../../database/sql-reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { type Access, type ApiKey, type DatasetAccessFields, mayAccess } from '../access.ts'
import type { FeatureCounts } from '../sql/features.ts'
import type { OffsetBookmarks } from '../sql/offset-bookmarks.ts'
import type { TextTotals } from '../sql/search.ts'
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

  /** Logs the revisions of datasets that a statement saw. */
  verify(seen: Iterable<SeenRevision>): void {
    for (const [id, revision] of seen) if (revision !== this.revisionOf(id)) this.#isMixed = true
  }

  /** Logs that a statement saw another state than the list. */
  differ(): void {
    this.#isMixed = true
  }

  /** SQL condition: the datasets, or all, are as the list has them. A dataset never has the same revision twice. */
  areListed(datasetIds: readonly string[] | 'all'): Prisma.Sql {
    const ids = datasetIds === 'all' ? this.#list.all.map(({ id }) => id) : [...datasetIds]
    const listed = Prisma.sql`unnest(${ids}::uuid[], ${ids.map((id) => this.revisionOf(id))}::bigint[])`
    const join = datasetIds === 'all' ? Prisma.sql`FULL JOIN` : Prisma.sql`RIGHT JOIN`
    return Prisma.sql`(
      SELECT coalesce(bool_and(d.revision IS NOT DISTINCT FROM listed.revision), true)
        FROM datasets d ${join} ${listed} AS listed (id, revision) ON d.id = listed.id)`
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

  /** Whether the result shows the state of the list: each statement has seen its datasets at their revisions in the list. */
  get isOneState(): boolean {
    return !this.#isMixed
  }
}

/** What reads use of one server, or of one transaction. */
export interface ReadSource {
  prisma: Prisma.TransactionClient
  reader: SqlReader
  batchers: Batchers
  /** What requests share. A read in a transaction uses none of them. */
  bookmarks?: OffsetBookmarks
  featureCounts?: FeatureCounts
  textTotals?: TextTotals
}

/** Sends the statements of one read. There is no other way to send one, so the log knows what every statement has seen. */
export class Statements {
  readonly #server: ReadSource
  readonly #readLog: ReadLog

  constructor(server: ReadSource, readLog: ReadLog) {
    this.#server = server
    this.#readLog = readLog
  }

  get featureCounts(): FeatureCounts | undefined {
    return this.#server.featureCounts
  }

  get textTotals(): TextTotals | undefined {
    return this.#server.textTotals
  }

  /** A reader of these datasets, or of all. Each statement tells the log whether it saw them as the list has them. */
  on(datasetIds: readonly string[] | 'all'): SqlReader {
    return {
      $queryRaw: async <Rows>(template: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) => {
        const areListed = this.#readLog.areListed(datasetIds)
        const statement = template instanceof Prisma.Sql ? template : Prisma.sql(template, ...values)
        const rows = await this.#run(
          ({ reader }) => reader.$queryRaw<Rows & { areListed: boolean }[]>`
            SELECT one.*, ${areListed} AS "areListed" FROM (${statement}) AS one`,
        )
        const [row] = rows
        // If the datasets are unchanged now, a statement without a row saw them so too.
        if (!row) await this.on(datasetIds).$queryRaw`SELECT true`
        else if (!row.areListed) this.#readLog.differ()
        return rows
      },
    }
  }

  /** Logs that no statement found a record, which any dataset could have. */
  async miss(): Promise<void> {
    this.#readLog.dependOnAll()
    await this.on('all').$queryRaw`SELECT true`
  }

  /**
   * Runs a statement that returns revisions itself, because several reads share it or several datasets have a row each.
   * @param seenIn returns the revisions of the datasets that it saw
   */
  async run<Result>(
    run: (server: ReadSource) => Promise<Result>,
    seenIn: (result: Result) => Iterable<SeenRevision>,
  ): Promise<Result> {
    const result = await this.#run(run)
    this.#readLog.verify(seenIn(result))
    return result
  }

  #run<Result>(run: (server: ReadSource) => Promise<Result>): Promise<Result> {
    return run(this.#server).catch((error: unknown) => {
      this.#readLog.fail(error)
      throw error
    })
  }
}
