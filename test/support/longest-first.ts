import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest, in this order. If one started last, the other workers would wait for it. */
const LONGEST = [
  'import/real-data',
  'cli/operators',
  'cli/commands',
  'browser/explorer.test',
  'browser/explorer-search',
  'cli/rotate',
  'catalog/plans',
  'readme',
  'import/bundle',
  'database/embedded',
  'import/merge',
  'server/replicas',
  'database/crash',
]

/** Starts the longest files first, then the others in Vitest's order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = LONGEST.findIndex((name) => moduleId.includes(`/test/${name}`))
      return rank === -1 ? LONGEST.length : rank
    }
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b))
  }
}
