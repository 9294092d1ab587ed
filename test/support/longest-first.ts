import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest, in this order. If one started last, the other workers would wait for it. */
const LONGEST = [
  'import/real-data',
  'cli/commands',
  'import/bundle',
  'browser/explorer-search',
  'browser/explorer.test',
  'cli/operators',
  'cli/rotate',
  'cli/datasets',
  'catalog/plans',
  'server/workers',
  'ogc/conformance',
  'database/embedded-import',
  'import/merge',
  'database/crash',
  'server/replicas',
  'readme',
  'database/embedded.test',
  'server/access.property',
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
