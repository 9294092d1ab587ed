import type { Totals } from '../sql/counts.ts'
import type { FeatureCounts } from '../sql/features.ts'
import type { OffsetBookmarks } from '../sql/offset-bookmarks.ts'
import type { ReadLog } from './read-log.ts'
import type { Statements } from './statements.ts'

/** What the requests to one server share. A read in a transaction uses none of it. */
export interface SharedCaches {
  bookmarks: OffsetBookmarks
  featureCounts: FeatureCounts
}

/** What the loaders of one read use. */
export interface LoaderOptions {
  statements: Statements
  readLog: ReadLog
  totals: Totals
  shared?: SharedCaches | undefined
  /** Whether to search all points, and to send each statement by itself. For tests. */
  isReference: boolean
}
