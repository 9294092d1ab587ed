import { Command } from 'commander'
import { parseGrace } from '../../auth/expiry.ts'
import { rotateKey } from '../../auth/rotate.ts'
import { withDatabase } from '../database.ts'
import { printJson, printLine } from '../print.ts'
import { JSON_OPTION, KEY } from './options.ts'

export function rotateCommand(): Command {
  return new Command('rotate')
    .description('give a key a new secret and print it; the old secret works until the grace period ends')
    .argument(...KEY)
    .option('--grace <duration>', 'how long the old secret still works; 0s ends all old secrets at once', '24h')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  npx catalog keys rotate app --grace 7d')
    .action(rotate)
}

interface RotateOptions {
  grace: string
  json?: true
}

async function rotate(id: string, { grace, json }: RotateOptions): Promise<void> {
  const graceMs = parseGrace(grace)
  const rotated = await withDatabase(({ prisma }) => rotateKey(prisma, id, graceMs))
  if (json) printJson(rotated)
  else {
    const old = graceMs === 0 ? 'no longer works' : `works until ${rotated.previousExpiresAt.toISOString()}`
    printLine(`Key ${rotated.id} for ${rotated.name} has a new secret; the old one ${old}. It is not shown again:`)
    printLine(rotated.key)
  }
}
