import { parseGrace } from '../../auth/expiry.ts'
import { rotateKey } from '../../auth/rotate.ts'
import { CatalogCommand } from '../command.ts'
import { changeDatabase } from '../database.ts'
import { printLine } from '../print.ts'
import { KEY } from './options.ts'

export const rotateCommand = new CatalogCommand('rotate')
  .description('give a key a new secret and print it; the old secret works until the grace period ends')
  .argument(...KEY)
  .option('--grace <duration>', 'how long the old secret still works; 0s ends all old secrets at once', '24h')
  .example('npx catalog keys rotate app --grace 7d')
  .printing({
    run: (id: string, { grace }: { grace: string }) => {
      const graceMs = parseGrace(grace)
      return changeDatabase(({ prisma }) => rotateKey(prisma, id, graceMs))
    },
    print: ({ id, name, key, previousExpiresAt }, _id, { grace }) => {
      const old = parseGrace(grace) === 0 ? 'no longer works' : `works until ${previousExpiresAt.toISOString()}`
      printLine(`Key ${id} for ${name} has a new secret; the old one ${old}. It is not shown again:`)
      printLine(key)
    },
  })
