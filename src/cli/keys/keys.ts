import { Command } from 'commander'
import { createCommand } from './create.ts'
import { grantCommand, revokeCommand, ungrantCommand } from './grants.ts'
import { listCommand, showCommand } from './list.ts'
import { rotateCommand } from './rotate.ts'
import { updateCommand } from './update.ts'
import { usageCommand } from './usage.ts'

export function keysCommand(): Command {
  const keys = new Command('keys').addHelpText(
    'after',
    '\nExample:\n  npx catalog keys create --name app --dataset museums',
  )
  const commands = [
    ...[createCommand(), listCommand(), showCommand(), usageCommand(), updateCommand(), rotateCommand()],
    ...[revokeCommand(), grantCommand(), ungrantCommand()],
  ]
  for (const command of commands) keys.addCommand(command)
  return keys
}
