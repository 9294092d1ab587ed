import { resolveDataset } from '../../auth/names.ts'
import { resetChanges } from '../../changes/retention.ts'
import { CatalogCommand } from '../command.ts'
import { changeDatabase } from '../database.ts'
import { DATASET } from '../options.ts'
import { printLine } from '../print.ts'

export const resetChangesCommand = new CatalogCommand('reset-changes')
  .description('let copies of a dataset begin again, for example after a restore of the server')
  .argument(...DATASET)
  .example('npx catalog datasets reset-changes museums')
  .printing({
    run: (text: string) =>
      changeDatabase(async ({ prisma, withSession }) => {
        const { id, slug } = await resolveDataset(prisma, text)
        await withSession((session) => resetChanges(session, [id]))
        return { id, slug }
      }),
    print: ({ slug }) => printLine(`Copies of the dataset ${slug} begin again`),
  })
