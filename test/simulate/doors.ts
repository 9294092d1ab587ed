import { graphqlQuestion } from './graphql.ts'
import { exportQuestion, ogcQuestion, tileQuestion } from './maps.ts'
import type { Question } from './question.ts'
import type { Random } from './random.ts'
import { restQuestion, toolQuestion } from './resources.ts'
import { SLUGS, type World } from './world.ts'

/*
 * Random questions at each door of the gateway: /graphql, the routes of REST, the tools of /mcp, /ogc, /tiles and /exports.
 */

/** A question at a random door. */
export function randomQuestion(random: Random, world: World): Question {
  const door = random.weighted({ graphql: 12, rest: 5, mcp: 1, ogc: 2, tile: 1, export: 1 })
  if (door === 'graphql') return graphqlQuestion(random, world)
  if (door === 'rest') return restQuestion(random, world)
  if (door === 'mcp') return toolQuestion(random, world)
  const dataset = random.pick([...SLUGS, ...world.datasetIds])
  if (door === 'ogc') return ogcQuestion(random, dataset)
  return door === 'tile' ? tileQuestion(random, random.pick([dataset, 'all'])) : exportQuestion(random, dataset)
}
