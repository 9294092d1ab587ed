import type { Command } from 'commander'

/**
 * Makes a group of commands report an unknown command, with the list of its commands. Commander lists only similar ones, and
 * takes any word as an argument of the default command.
 */
export function explainUnknownCommand(group: Command): void {
  const refuse = (word: string) => {
    const names = group
      .createHelp()
      .visibleCommands(group)
      .map((command) => command.name())
    const similar = names.find((name) => isSimilar(word, name))
    const hint = similar === undefined ? `; the commands are ${names.join(', ')}` : ` (Did you mean ${similar}?)`
    group.error(`error: unknown command '${word}'${hint}`, { code: 'commander.unknownCommand' })
  }
  group.on('command:*', ([word]: string[]) => refuse(word ?? ''))
  group.hook('preSubcommand', (_group, command) => {
    const [word] = group.args
    if (word !== undefined && !word.startsWith('-') && word !== command.name()) refuse(word)
  })
}

/** Whether letters were swapped, forgotten or added. */
function isSimilar(a: string, b: string): boolean {
  const sorted = (word: string) => [...word].sort().join('')
  return sorted(a) === sorted(b) || hasLettersOf(a, b) || hasLettersOf(b, a)
}

/** Whether the word has all letters of a part, in the same order. */
function hasLettersOf(word: string, part: string): boolean {
  let found = 0
  for (const letter of word) if (letter === part[found]) found += 1
  return found === part.length
}
