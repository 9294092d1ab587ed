import { type ExplainedKey, type Explanation, explainAccess } from '../auth/explain-access.ts'
import { resolveDataset, resolveKey } from '../auth/names.ts'
import { isUuid } from '../catalog/arguments.ts'
import { operationFailed } from '../errors/errors.ts'
import type { PrismaClient } from '../generated/prisma/client.ts'
import { CatalogCommand } from './command.ts'
import { withDatabase } from './database.ts'
import { NO_DATASETS } from './datasets/show.ts'
import { DATASET, KEY } from './options.ts'
import { printFacts, printLine, printTable } from './print.ts'

const explainCommand = new CatalogCommand('explain')
  .description('explain whether a key may access a dataset, why and until when, and print commands that change that')
  .argument(...KEY)
  .argument(...DATASET)
  .argument('[item]', 'id or externalId of an item of the dataset')
  .example('npx catalog access explain app museums')
  .printing({ run: explain, print: printExplanation })

const listCommand = new CatalogCommand('list')
  .description('list all datasets, and say for each whether a key may access it, and why')
  .argument(...KEY)
  .example('npx catalog access list app')
  .printing({
    run: (keyText: string) =>
      withDatabase(async ({ prisma }) => {
        const key = await findKey(prisma, keyText)
        const datasets = await prisma.dataset.findMany({ orderBy: { slug: 'asc' } })
        return datasets.map((dataset) => ({ dataset: dataset.slug, ...explainAccess(key, dataset, new Date()) }))
      }),
    print: (rows) =>
      printTable(
        ['DATASET', 'ACCESS', 'SINCE', 'UNTIL', 'BECAUSE'],
        rows.map(({ dataset, mayAccess, since, until, reason }) => [
          ...[dataset, mayAccess ? 'yes' : 'no', since?.toISOString() ?? '-', until?.toISOString() ?? '-', reason],
        ]),
        NO_DATASETS,
      ),
  })

export const accessCommand = new CatalogCommand('access')
  .example('npx catalog access explain app museums')
  .adding(explainCommand, listCommand)

async function explain(keyText: string, datasetText: string, itemText: string | undefined) {
  return withDatabase(async ({ prisma }) => {
    const key = await findKey(prisma, keyText)
    const { id, slug } = await resolveDataset(prisma, datasetText)
    const dataset = await prisma.dataset.findUniqueOrThrow({ where: { id } })
    const item = itemText === undefined ? null : await findItem(prisma, { id, slug }, itemText)
    return { keyId: key.id, keyName: key.name, dataset: slug, item, ...explainAccess(key, dataset, new Date()) }
  })
}

function printExplanation(explained: Awaited<ReturnType<typeof explain>>): void {
  const { keyId, keyName, dataset, item } = explained
  const subject =
    item === null ? `the dataset ${dataset}` : `the item ${item}, because it follows its dataset ${dataset}`
  printLine(`The key ${keyName} (${keyId}) ${explained.mayAccess ? 'may' : 'may not'} access ${subject}.`)
  printFacts(17, describeExplanation(explained))
}

function describeExplanation({ clause, reason, since, until, changes, mayAccess }: Explanation): string[][] {
  const facts = [
    ['clause', clause === 'grant' ? '1: an unexpired grant' : `2: ${clause}`],
    ['since', since?.toISOString() ?? 'not recorded: only grants have a time'],
    ['until', until?.toISOString() ?? 'something is changed'],
  ]
  const commands = changes.map((command) => [
    (mayAccess ? 'to end' : 'to allow') + (command.includes(' datasets update ') ? ' for all' : ''),
    command,
  ])
  return [['because', reason], ...(mayAccess ? facts : []), ...commands]
}

async function findKey(prisma: PrismaClient, text: string): Promise<ExplainedKey & { name: string }> {
  const { id } = await resolveKey(prisma, text)
  return prisma.apiKey.findUniqueOrThrow({ where: { id }, include: { grants: true } })
}

async function findItem(prisma: PrismaClient, dataset: { id: string; slug: string }, text: string): Promise<string> {
  const ids = isUuid(text) ? [{ id: text.toLowerCase() }] : []
  const isText = text.isWellFormed() && !text.includes('\0')
  const where = { datasetId: dataset.id, OR: [{ externalId: text }, ...ids] }
  const item = isText ? await prisma.item.findFirst({ where, select: { id: true } }) : null
  if (!item) throw operationFailed(`The dataset ${dataset.slug} has no item with the id or externalId ${text}`)
  return item.id
}
