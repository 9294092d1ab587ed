import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { replace, withCatalog } from './change.ts'
import { CHANGES } from './changes.ts'
import { Random } from './random.ts'
import { createdAt, latitudeOf } from './sql.ts'
import { runCommand } from './stage.ts'
import type { WriterContext } from './transaction.ts'
import { type Dataset, type Item, type Key, POINT, type State, VISIBILITIES, type World } from './world.ts'

/** A command, the state that it leads to, and the lines of the files that it reads. */
interface Command {
  args: string[]
  next: State
  files?: Readonly<Record<string, string>>
  /** Slug of the dataset whose change can be undone. */
  changes?: string
}

type Plan = (random: Random, world: World, state: State, mark: string) => Command | undefined

/** Makes changes with commands until the end. A command takes about a second, in which its commit can be at any time. */
export async function writeWithCommands(context: WriterContext, env: Record<string, string>): Promise<void> {
  const { seed, world, history, counts, report, isEnding } = context
  const random = new Random(`${seed} commands`)
  const files = await mkdtemp(join(tmpdir(), 'catalog-simulation-'))
  while (!isEnding()) {
    await sleep(6_000 + random.below(10_000))
    await context.tables.run(() =>
      context.commits.run(async () => {
        counts.mark += 1
        const plan = random.weighted(KINDS)
        const before = history.current
        const command = isEnding() ? undefined : PLANS[plan](random, world, before, `g${counts.mark}`)
        if (!command) return
        const isDone = await run(command)
        // Nobody else commits meanwhile, so the undo leads to the state before.
        const isLast = history.current === command.next
        if (isDone && isLast && command.changes !== undefined && !isEnding() && random.below(2) === 0)
          await run({ args: ['undo', command.changes, '--allow-removals', '--allow-moves'], next: before })
      }),
    )
  }
  await rm(files, { recursive: true, force: true })

  async function run(command: Command): Promise<boolean> {
    for (const [name, text] of Object.entries(command.files ?? {})) await writeFile(join(files, name), text)
    const args = command.args.map((argument) => (argument === MANIFEST ? join(files, MANIFEST) : argument))
    const moment = history.begin(command.next, `catalog ${args.join(' ')}`)
    const { code, stderr } = await runCommand(env, ...args)
    moment.end = performance.now()
    counts.writes += 1
    if (code === 0) return true
    if (isEnding()) return false
    history.withdraw(moment)
    report(stderr.includes('deadlock') ? 'deadlock detected' : 'failed command', `${moment.label}: ${stderr}`)
    return false
  }
}

const KINDS = { importDataset: 4, update: 2, remove: 1, grant: 2, ungrant: 3, revoke: 1 } as const
const MANIFEST = 'manifest.json'

const importDataset: Plan = (random, world, state, mark) => {
  if (state.catalog.datasets.length === 0) return undefined
  const dataset = { ...random.pick(state.catalog.datasets), description: mark }
  const { id } = dataset
  const changed = CHANGES.changeItems(random, world, state, mark)?.catalog ?? state.catalog
  const others = state.catalog.items.filter(({ datasetId }) => datasetId !== id)
  const taken = new Set(others.map((item) => item.id))
  const own = changed.items.filter((item) => item.datasetId === id && !taken.has(item.id))
  const items = own.map((item) => (own.some(({ id }) => id === item.parentId) ? item : { ...item, parentId: null }))
  const datasets = replace(state.catalog.datasets, dataset)
  const kept = new Set([...others, ...items].map((item) => item.id))
  const images = state.catalog.images.filter(({ itemId }) => kept.has(itemId))
  return {
    changes: dataset.slug,
    args: ['import', '--allow-removals', '--allow-moves', MANIFEST],
    next: { ...state, catalog: { datasets, items: [...others, ...items], images } },
    files: {
      [MANIFEST]: JSON.stringify({ dataset: manifestOf(dataset), items: 'items.ndjson' }),
      'items.ndjson': items.map((item) => `${JSON.stringify(rowOf(item, images))}\n`).join(''),
    },
  }
}

function manifestOf({ id, slug, name, description, status, visibility, accessTier }: Dataset): object {
  return { id, slug, name, description, status, visibility, accessTier, attribution: 'Simulation' }
}

function rowOf(item: Item, images: State['catalog']['images']): object {
  const { id, name, description, area, category, parentId } = item
  const own = images.filter(({ itemId }) => itemId === id)
  return {
    ...{ id, name, description, administrativeAreaCode: area, categoryCode: category, parentItemId: parentId },
    ...{ latitude: latitudeOf(item), longitude: String(POINT.longitude), createdAt: createdAt(item) },
    images: own.map(({ id, altText, sortOrder }) => ({
      id,
      altText,
      sortOrder,
      originalUrl: `https://a.example/${id}`,
    })),
  }
}

const update: Plan = (random, _, state, mark) => {
  if (state.catalog.datasets.length === 0) return undefined
  const dataset = random.pick(state.catalog.datasets)
  const visibility = random.pick(VISIBILITIES)
  const next = withCatalog(state, {
    datasets: replace(state.catalog.datasets, { ...dataset, visibility, description: mark }),
  })
  const args = ['datasets', 'update', dataset.slug, '--description', mark, '--visibility', visibility]
  return { args, next, changes: dataset.slug }
}

const remove: Plan = (random, world, state, mark) => {
  const next = CHANGES.removeDataset(random, world, state, mark)
  const removed = state.catalog.datasets.find(({ id }) => !next?.catalog.datasets.some((each) => each.id === id))
  return next && removed && { args: ['datasets', 'remove', removed.slug, '--yes'], next, changes: removed.slug }
}

const grant: Plan = (random, _, state) => {
  const key = random.pick(state.keys)
  const missing = state.catalog.datasets.filter(({ id }) => !key.grants.includes(id))
  if (key.isRevoked || missing.length === 0) return undefined
  const { id, slug } = random.pick(missing)
  const next = replaceKey(state, { ...key, grants: [...key.grants, id] })
  return { args: ['keys', 'grant', key.id, '--dataset', slug], next }
}

const ungrant: Plan = (random, _, state) => {
  const key = random.pick(state.keys)
  const granted = state.catalog.datasets.filter(({ id }) => key.grants.includes(id))
  if (key.isRevoked || granted.length === 0) return undefined
  const { id, slug } = random.pick(granted)
  const next = replaceKey(state, { ...key, grants: key.grants.filter((each) => each !== id) })
  return { args: ['keys', 'ungrant', key.id, '--dataset', slug], next }
}

const revoke: Plan = (random, _, state) => {
  const key = random.pick(state.keys)
  return key.isRevoked
    ? undefined
    : { args: ['keys', 'revoke', key.id], next: replaceKey(state, { ...key, isRevoked: true }) }
}

const replaceKey = (state: State, key: Key): State => ({ ...state, keys: replace(state.keys, key) })

const PLANS = { importDataset, update, remove, grant, ungrant, revoke } as const
