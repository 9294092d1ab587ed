import type { PrismaClient } from '../../generated/prisma/client.ts'
import { type Access, type DatasetAccessFields, mayAccess } from '../access.ts'

/** A dataset at one revision. */
interface DatasetRevision {
  id: string
  revision: bigint
}

/** Returns the sum of the revisions of some datasets. A later state of the same datasets has a higher one. */
export function totalRevision(revisions: Iterable<bigint>): bigint {
  let total = 0n
  for (const revision of revisions) total += revision
  return total
}

/** The decision of the access rule on a dataset. */
export interface Verdict {
  dataset: DatasetAccessFields
  isAllowed: boolean
}

/**
 * The log of one read: the datasets, their revisions, and the decisions of the access rule. It shows whether all statements
 * saw the same state of the database, and what the result depends on.
 */
export class ReadLog {
  readonly #access: Access
  readonly #now: Date
  readonly #revisions = new Map<string, bigint>()
  readonly #verdicts = new Map<string, Verdict>()
  #sentAt: number | undefined
  #statements = 0
  #isInconsistent = false
  #hasUnverified = false
  #hasVerifiedAll = false
  #dependsOnAll = false

  constructor(access: Access, now: Date) {
    this.#access = access
    this.#now = now
  }

  /**
   * Logs the revision of a dataset. The read counts as inconsistent if the log already has another revision of the dataset. It
   * also does if a statement was sent before `readAtMs`, because a change between the two would go unnoticed.
   * @param readAtMs when the dataset was read, in milliseconds of `performance.now`
   */
  observe({ id, revision }: DatasetRevision, readAtMs: number): void {
    const before = this.#revisions.get(id)
    if (before === undefined) {
      this.#revisions.set(id, revision)
      if (this.#sentAt !== undefined && readAtMs > this.#sentAt) this.#isInconsistent = true
    } else if (before !== revision) this.#isInconsistent = true
  }

  /** The logged revision of a dataset; undefined if the log has none. */
  revisionOf(id: string): bigint | undefined {
    return this.#revisions.get(id)
  }

  /** Logs that a statement is sent, and whether it returns the revisions of the datasets that it reads, for `verify`. */
  send({ returnsRevision }: { returnsRevision: boolean }): void {
    this.#sentAt ??= performance.now()
    this.#statements += 1
    if (!returnsRevision) this.#hasUnverified = true
  }

  /** Compares the log with the revision that a statement returned; null means that the dataset does not exist any more. */
  verify(id: string, revision: bigint | null): void {
    if (this.#revisions.get(id) !== revision) this.#isInconsistent = true
  }

  /** Does so for all datasets that a statement read: `revisions` has the revision of each dataset that still exists. */
  verifyAll(ids: readonly string[], revisions: ReadonlyMap<string, bigint>): void {
    for (const id of ids) this.verify(id, revisions.get(id) ?? null)
    this.#hasVerifiedAll = true
  }

  /** Logs that the result depends on the set of all datasets, or on the absence of a record. */
  dependOnAll(): void {
    this.#dependsOnAll = true
  }

  /** Whether the key may access a dataset (access.ts). Logs the decision. */
  mayAccess(dataset: DatasetAccessFields): boolean {
    const known = this.#verdicts.get(dataset.id)
    if (known) return known.isAllowed
    const { id, status, visibility, accessTier } = dataset
    const isAllowed = mayAccess(this.#access, dataset, this.#now)
    this.#verdicts.set(id, { dataset: { id, status, visibility, accessTier }, isAllowed })
    return isAllowed
  }

  /**
   * What the result depends on: the decisions on datasets, whether it depends on all datasets (`onAll`), and the total revision of
   * the logged datasets.
   */
  get dependencies(): { verdicts: readonly Verdict[]; onAll: boolean; revision: bigint } {
    return {
      verdicts: [...this.#verdicts.values()],
      onAll: this.#dependsOnAll,
      revision: totalRevision(this.#revisions.values()),
    }
  }

  /** Whether all statements saw the same state. Reads the revisions again if the log does not show it. */
  async isConsistent(prisma: PrismaClient): Promise<boolean> {
    if (this.#isInconsistent) return false
    if (this.#sentAt === undefined || this.#revisions.size === 0) return true
    // If all statements returned the revision of one dataset, `verify` has compared it already. Several statements on several
    // datasets may have seen different states.
    const isVerified = this.#revisions.size === 1 || (this.#hasVerifiedAll && this.#statements === 1)
    if (!this.#hasUnverified && isVerified) return true
    const ids = [...this.#revisions.keys()]
    const current = await prisma.dataset.findMany({ where: { id: { in: ids } }, select: { id: true, revision: true } })
    return current.length === ids.length && current.every(({ id, revision }) => this.#revisions.get(id) === revision)
  }
}
