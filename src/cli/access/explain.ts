import { type Explanation, explainAccess } from '../../auth/explain-access.ts'
import { resolveDataset } from '../../auth/names.ts'
import { isUuid } from '../../catalog/arguments.ts'
import { operationFailed } from '../../errors/errors.ts'
import type { PrismaClient } from '../../generated/prisma/client.ts'
import { CatalogCommand } from '../command.ts'
import { withDatabase } from '../database.ts'
import { DATASET } from '../datasets/show.ts'
import { KEY } from '../keys/options.ts'
import { printLine } from '../print.ts'
import { findExplainedKey } from './explained-key.ts'

export const explainCommand = new CatalogCommand('explain')
  .description('explain whether a key may access a dataset, why and until when, and print commands that change that')
  .argument(...KEY)
  .argument(...DATASET)
  .argument('[item]', 'id or externalId of an item of the dataset')
  .example('npx catalog access explain app museums')
  .printing({ run: explain, print: printExplanation })

async function explain(keyText: string, datasetText: string, itemText: string | undefined) {
  return withDatabase(async ({ prisma }) => {
    const key = await findExplainedKey(prisma, keyText)
    const { id, slug } = await resolveDataset(prisma, datasetText)
    const dataset = await prisma.dataset.findUniqueOrThrow({ where: { id } })
    const item = itemText === undefined ? null : await findItem(prisma, { id, slug }, itemText)
    const { id: keyId, name: keyName } = key
    return { keyId, keyName, dataset: slug, item, ...explainAccess(key, dataset, new Date()) }
  })
}

function printExplanation(explained: Awaited<ReturnType<typeof explain>>): void {
  const { keyId, keyName, dataset, item } = explained
  const subject =
    item === null ? `the dataset ${dataset}` : `the item ${item}, because it follows its dataset ${dataset}`
  printLine(`The key ${keyName} (${keyId}) ${explained.mayAccess ? 'may' : 'may not'} access ${subject}.`)
  for (const [label, value] of describeExplanation(explained)) printLine(`${label.padEnd(9)}${value}`)
}

function describeExplanation({ clause, reason, since, until, changes, mayAccess }: Explanation): [string, string][] {
  const facts: [string, string][] = [['because', reason]]
  if (mayAccess) {
    facts.push(['clause', clause === 'grant' ? '1: an unexpired grant' : `2: ${clause}`])
    facts.push(['since', since?.toISOString() ?? 'not recorded: only grants have a time'])
    facts.push(['until', until?.toISOString() ?? 'something is changed'])
  }
  return [...facts, ...changes.map((command): [string, string] => [mayAccess ? 'to end' : 'to allow', command])]
}

async function findItem(prisma: PrismaClient, dataset: { id: string; slug: string }, text: string): Promise<string> {
  const id = isUuid(text) ? text.toLowerCase() : undefined
  const isText = text.isWellFormed() && !text.includes('\0')
  const item = isText
    ? await prisma.item.findFirst({
        where: { datasetId: dataset.id, OR: [{ externalId: text }, ...(id === undefined ? [] : [{ id }])] },
        select: { id: true },
      })
    : null
  if (!item) throw operationFailed(`The dataset ${dataset.slug} has no item with the id or externalId ${text}`)
  return item.id
}
