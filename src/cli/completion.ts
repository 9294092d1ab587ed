import type { RootCommand } from '@bomb.sh/tab'
import tab from '@bomb.sh/tab/commander'
import type { Command } from 'commander'
import { readConfig } from '../config/config.ts'
import { databaseExists } from '../database/database.ts'
import { escapeControls } from '../errors/errors.ts'
import type { PrismaClient } from '../generated/prisma/client.ts'
import { withOpenDatabase } from './database.ts'

/** Words of a database that a shell can complete, each with a description. */
interface Names {
  keys: [string, string][]
  datasets: [string, string][]
  /** Removed datasets that can be restored. */
  removed: [string, string][]
}

const NO_NAMES: Names = { keys: [], datasets: [], removed: [] }

/** The arguments that take a name. */
const OFFERED: ReadonlyMap<string, keyof Names> = new Map([
  ['id', 'keys'],
  ['slug', 'datasets'],
  ['removed', 'removed'],
])

/**
 * Adds `catalog completion SHELL`, which prints a script. The shell then asks the program for the possible words: the keys and datasets
 * of the configured database too, if the command line takes one there.
 * @param words are the arguments: after `complete --` they are the words of the command line, the last of which is incomplete
 */
export async function addCompletion(program: Command, words: readonly string[]): Promise<void> {
  const completion = tab(program, { completionCommandName: 'completion' })
  const [command, separator, ...line] = words
  if (command === 'complete' && separator === '--') await completeNames(completion, line)
}

async function completeNames(completion: RootCommand, words: readonly string[]): Promise<void> {
  if (!takesName(completion, words)) return
  // A shell shows no errors while it completes a word. Without the database, it offers no names.
  const names = await readNames().catch(() => NO_NAMES)
  const offer = (offered: readonly [string, string][]) => (complete: (value: string, description: string) => void) => {
    // The shell takes each line as a word of its own.
    for (const [name, description] of offered) complete(escapeControls(name), escapeControls(description))
  }
  for (const command of completion.commands.values()) {
    for (const argument of command.arguments.values()) {
      const offered = OFFERED.get(argument.name)
      if (offered) argument.handler = offer(names[offered])
    }
    const option = command.options.get('dataset')
    if (option) option.handler = offer(names.datasets)
  }
}

function takesName(completion: RootCommand, words: readonly string[]): boolean {
  const [first = '', second = ''] = words
  if (words.at(-1)?.startsWith('-')) return false
  if (words.at(-2) === '--dataset') return true
  const command = completion.commands.get(`${first} ${second}`) ?? completion.commands.get(first)
  const isNamed = [...(command?.arguments.keys() ?? [])].some((name) => OFFERED.has(name))
  return isNamed && words.length > (command?.value.split(' ').length ?? 0)
}

async function readNames(): Promise<Names> {
  const { database } = readConfig(process.env)
  if (!databaseExists(database)) return NO_NAMES
  return withOpenDatabase(async ({ prisma }) => {
    const keys = await prisma.apiKey.findMany({ where: { revokedAt: null }, select: { id: true, name: true } })
    const datasets = await prisma.dataset.findMany({ select: { id: true, slug: true, name: true } })
    const removed = await readRemoved(prisma, datasets)
    const isWord = (name: string) =>
      /^[^\s"'\\$`]+$/.test(name) &&
      escapeControls(name) === name &&
      keys.filter((key) => key.name === name).length === 1
    return {
      keys: keys.map(({ id, name }) => (isWord(name) ? [name, id] : [id, name])),
      datasets: datasets.map(({ slug, name }) => [slug, name]),
      removed,
    }
  })
}

async function readRemoved(
  { historyEntry }: PrismaClient,
  datasets: readonly { id: string }[],
): Promise<Names['removed']> {
  const lastEntries = await historyEntry.findMany({
    where: { datasetId: { notIn: datasets.map(({ id }) => id) } },
    orderBy: { id: 'desc' },
    distinct: ['datasetId'],
    select: { slug: true, at: true, canUndo: true },
  })
  return lastEntries.filter(({ canUndo }) => canUndo).map(({ slug, at }) => [slug, `removed ${at.toISOString()}`])
}
