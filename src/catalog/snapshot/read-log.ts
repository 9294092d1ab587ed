import type { PrismaClient } from '../../generated/prisma/client.ts'
import { type Access, type AccessSubject, mayAccess } from '../access.ts'

/** A dataset's identity and the revision that it was seen at. */
interface Stamp {
  id: string
  revision: bigint
}

/** Whether a key was let into a dataset on the way to an answer. */
export interface Verdict {
  dataset: AccessSubject
  isAllowed: boolean
}

/**
 * What one reading met on its way: which datasets, at which revision, and how the access rule decided. From that follows
 * whether all its statements saw one state of the database, and on what its answer depends.
 */
export class ReadLog {
  readonly #access: Access
  readonly #now: Date
  readonly #revisions = new Map<string, bigint>()
  readonly #verdicts = new Map<string, Verdict>()
  #sentAt: number | undefined
  #isInconsistent = false
  #hasUnstamped = false
  #dependsOnAll = false

  constructor(access: Access, now: Date) {
    this.#access = access
    this.#now = now
  }

  /**
   * Notes a dataset at its revision.
   * @param knownAt is when it had been read, in milliseconds of `performance.now`. Had anything been read before, a change in
   * between would not show.
   */
  observe({ id, revision }: Stamp, knownAt: number): void {
    const before = this.#revisions.get(id)
    if (before === undefined) {
      this.#revisions.set(id, revision)
      if (this.#sentAt !== undefined && knownAt > this.#sentAt) this.#isInconsistent = true
    } else if (before !== revision) this.#isInconsistent = true
  }

  /** The revision that a dataset was met at. */
  revisionOf(id: string): bigint | undefined {
    return this.#revisions.get(id)
  }

  /** Notes that a statement is sent. A stamped one tells of its datasets' revisions, for `confirm`. */
  send({ isStamped }: { isStamped: boolean }): void {
    this.#sentAt ??= performance.now()
    if (!isStamped) this.#hasUnstamped = true
  }

  /** Notes the revision that a statement tells of a dataset; null when that is gone. */
  verify(id: string, revision: bigint | null): void {
    if (this.#revisions.get(id) !== revision) this.#isInconsistent = true
  }

  /** Notes that the answer depends on which datasets there are, or on something not being there. */
  dependOnAll(): void {
    this.#dependsOnAll = true
  }

  /** Whether the key may access a dataset (access.ts), remembered. */
  mayAccess(dataset: AccessSubject): boolean {
    const known = this.#verdicts.get(dataset.id)
    if (known) return known.isAllowed
    const { id, status, visibility, accessTier } = dataset
    const isAllowed = mayAccess(this.#access, dataset, this.#now)
    this.#verdicts.set(id, { dataset: { id, status, visibility, accessTier }, isAllowed })
    return isAllowed
  }

  /** What the answer depends on: how the rule decided, and whether on other datasets too. */
  get dependencies(): { verdicts: readonly Verdict[]; onAll: boolean } {
    return { verdicts: [...this.#verdicts.values()], onAll: this.#dependsOnAll }
  }

  /** Whether all statements saw the same state. Asks the database where they do not tell by themselves. */
  async isConsistent(prisma: PrismaClient): Promise<boolean> {
    if (this.#isInconsistent) return false
    if (this.#sentAt === undefined || this.#revisions.size === 0) return true
    // Stamped statements on one dataset have said that it was the same one.
    if (!this.#hasUnstamped && this.#revisions.size === 1) return true
    const ids = [...this.#revisions.keys()]
    const stamps = await prisma.dataset.findMany({ where: { id: { in: ids } }, select: { id: true, revision: true } })
    return stamps.length === ids.length && stamps.every(({ id, revision }) => this.#revisions.get(id) === revision)
  }
}
