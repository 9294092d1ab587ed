import { Command } from 'commander'
import { operationFailed } from '../errors/errors.ts'
import { printJson } from './print.ts'

/** What a command does. `Given` are its arguments and then its options, as commander gives them. */
interface Action<Given extends unknown[], Data> {
  run: (...given: Given) => Promise<Data>
  /** Prints the data for people. */
  print: (data: Data, ...given: Given) => void | Promise<void>
  /** The data for programs, if they differ. */
  toJson?: (data: Data) => unknown
}

/** A command of the program. */
export class CatalogCommand extends Command {
  constructor(name: string) {
    super(name)
    // Commander takes any word as an argument of the default command.
    this.hook('preSubcommand', (group, subcommand) => {
      const [word = subcommand.name()] = group.args
      if (word === subcommand.name() || word.startsWith('-')) return
      const names = group.commands.map((known) => known.name())
      group.error(`error: unknown command '${word}'; the commands are ${names.join(', ')}`)
    })
  }

  /** Ends the help with a command line. */
  example(line: string): this {
    return this.addHelpText('after', `\nExample:\n  ${line}`)
  }

  /** Adds subcommands. */
  adding(...commands: readonly Command[]): this {
    for (const command of commands) this.addCommand(command)
    return this
  }

  /** @throws `OPERATION_FAILED` if no option changes something */
  requireChange(changes: object): void {
    if (Object.keys(changes).length > 0) return
    const names = this.options.flatMap(({ long }) => (long && long !== '--json' ? [long] : []))
    throw operationFailed(`Give at least one of ${new Intl.ListFormat('en-GB').format(names)}`)
  }

  /** Sets the action, and adds the option `--json`. */
  printing<Given extends unknown[], Data>({ run, print, toJson = (data) => data }: Action<Given, Data>): this {
    return this.option('--json', 'print JSON').action(async (...given: Given) => {
      const data = await run(...given)
      if (this.opts().json) printJson(toJson(data))
      else await print(data, ...given)
    })
  }
}
