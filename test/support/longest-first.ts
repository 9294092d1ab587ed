import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest, in this order. If one started last, the other workers would wait for it. */
const LONGEST = [
  'import/real-data',
  'server/memory',
  'catalog/plans',
  'cli/command-line',
  'embedded/backup',
  'browser/explorer-search',
  'browser/explorer-map',
  'browser/explorer-key',
  'browser/explorer.test',
  'cli/hostile-text',
  'embedded/import',
  'cli/datasets',
  'cli/move-catalog',
  'server/long-exports',
  'embedded/crash',
  'readme',
  'smoke/smoke',
  'import/bundle',
  'server/differential',
  'fairness/unread',
  'server/access.property',
  'catalog/tiles',
  'import/strange-files',
  'import/merge',
]

/** The projects in the order in which they run. Files that share a process stay together. */
const PROJECTS = ['isolated', 'smoke', 'browser', 'in-process']

/** Starts the longest files of each project first, then its others in Vitest's order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId, project }: TestSpecification) => {
      const rank = LONGEST.findIndex((name) => moduleId.includes(`/test/${name}`))
      return PROJECTS.indexOf(project.name) * 1_000 + (rank === -1 ? LONGEST.length : rank)
    }
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b))
  }
}
