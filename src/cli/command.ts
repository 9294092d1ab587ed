import type { Command } from 'commander'
import { printJson } from './print.ts'

/** What a command does. `Given` are its arguments and then its options, as commander gives them. */
interface Action<Given extends unknown[], Data> {
  /** The command line after `npx catalog`. */
  example: string
  run: (...given: Given) => Promise<Data>
  /** Prints the data for people. */
  print: (data: Data, ...given: Given) => void
  /** The data for programs, if they differ. */
  toJson?: (data: Data) => unknown
}

/** Gives a command its action, an example in its help, and the option `--json`. */
export function printing<Given extends unknown[], Data>(
  command: Command,
  { example, run, print, toJson = (data) => data }: Action<Given, Data>,
): Command {
  return command
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  npx catalog ${example}`)
    .action(async (...given: Given) => {
      const data = await run(...given)
      if (command.opts().json) printJson(toJson(data))
      else print(data, ...given)
    })
}
