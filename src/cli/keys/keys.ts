import { CatalogCommand } from '../command.ts'
import { createCommand } from './create.ts'
import { grantCommand, revokeCommand, ungrantCommand } from './grants.ts'
import { listCommand, showCommand } from './list.ts'
import { rotateCommand } from './rotate.ts'
import { updateCommand } from './update.ts'
import { usageCommand } from './usage.ts'

export const keysCommand = new CatalogCommand('keys')
  .example('npx catalog keys create --name app --dataset museums')
  .addCommand(createCommand)
  .addCommand(listCommand)
  .addCommand(showCommand)
  .addCommand(usageCommand)
  .addCommand(updateCommand)
  .addCommand(rotateCommand)
  .addCommand(revokeCommand)
  .addCommand(grantCommand)
  .addCommand(ungrantCommand)
