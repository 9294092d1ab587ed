import { resolveDataset } from '../../auth/names.ts'
import type { Database } from '../../database/database.ts'
import { renewStatistics } from '../../database/statistics.ts'
import { operationFailed } from '../../errors/errors.ts'
import { type DatasetContent, removeDataset } from '../../import/change-dataset.ts'
import { findSamples } from '../../sample/find.ts'
import { CatalogCommand } from '../command.ts'
import { requireConfirmation } from '../confirm.ts'
import { commandOrigin, withDatabase } from '../database.ts'
import { DATASET_NAMES, YES } from '../options.ts'
import { counted, printJson, printLine } from '../print.ts'

export const removeCommand = new CatalogCommand('remove')
  .description('remove a dataset with its items, images and grants; catalog datasets restore brings it back')
  .argument('[slug]', DATASET_NAMES)
  .option('--samples', 'remove all sample datasets')
  .option(...YES)
  .option('--json', 'print JSON')
  .example('npx catalog datasets remove museums --yes')
  .action(remove)

interface Options {
  samples?: true
  yes?: true
  json?: true
}

async function remove(text: string | undefined, { samples, yes, json }: Options): Promise<void> {
  if ((text === undefined) !== (samples === true))
    throw operationFailed('Name a dataset, or remove the samples with --samples')
  await withDatabase(async (database) => {
    const names = text === undefined ? (await findSamples(database.prisma)).map(({ id }) => id) : [text]
    if (names.length === 0 && !json) printLine('There are no sample datasets')
    for (const name of names) {
      const removed = await removeConfirmed(database, name, yes ?? false)
      if (json) printJson(removed)
      else printLine(`The dataset ${removed.slug} is removed, ${describe(removed)}`)
    }
  })
}

const describe = ({ items, grants }: DatasetContent) => `with ${counted(items, 'item')} and ${counted(grants, 'grant')}`

async function removeConfirmed(database: Database, text: string, isConfirmed: boolean) {
  const { prisma } = database
  const { id, slug } = await resolveDataset(prisma, text)
  const where = { datasetId: id }
  let content: DatasetContent = {
    items: await prisma.item.count({ where }),
    grants: await prisma.grant.count({ where }),
  }
  for (;;) {
    if (!isConfirmed) await requireConfirmation('Remove', `the dataset ${slug} ${describe(content)}`)
    const confirmed = isConfirmed ? undefined : content
    // A session has no statement timeout, and the items of a large dataset take a while.
    const { isRemoved, ...found } = await database.withSession((session) =>
      database.withReadersOnCopy(session, content.items, async () => {
        const removal = await removeDataset(session, { id, slug }, confirmed, commandOrigin())
        await renewStatistics(session)
        return removal
      }),
    )
    if (isRemoved) return { id, slug, ...found }
    content = found
  }
}
