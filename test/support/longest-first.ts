import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest, in this order. If one started last, the other workers would wait for it. */
const LONGEST = [
  'import/real-data',
  'cli/commands',
  'browser/explorer-key',
  'browser/explorer-search',
  'database/embedded-import',
  'cli/rotate',
  'cli/datasets',
  'server/long-exports',
  'database/crash',
  'readme',
  'smoke/smoke',
  'import/bundle',
  'catalog/plans',
  'import/merge',
  'server/access.property',
]

/** Starts the longest files first, then the others in Vitest's order. Files that share a process stay together. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId, project }: TestSpecification) => {
      const rank = LONGEST.findIndex((name) => moduleId.includes(`/test/${name}`))
      return (project.config.isolate ? 0 : LONGEST.length + 1) + (rank === -1 ? LONGEST.length : rank)
    }
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b))
  }
}
