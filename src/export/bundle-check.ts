import { EXPORT_FIELDS } from '../catalog/columns.ts'
import type { Dataset } from '../catalog/models.ts'
import { messageOf, operationFailed } from '../errors/errors.ts'
import type { PrismaClient } from '../generated/prisma/client.ts'
import { type Fields, MAX_ROW_LENGTH, parseJsonRow } from '../rows/formats/source-row.ts'
import { parseManifest } from '../rows/manifest.ts'
import { parseItem } from '../rows/parse-item.ts'

/** A value that an import would change or refuse. `what` names the dataset or the item. */
interface Unfit {
  what: string
  reason: string
}

/** An error lists at most this number of values. */
const LISTED = 20

/**
 * Reads a bundle as an import does, and compares the result with the bundle. So a bundle is refused for every value that an import
 * would change or refuse, whatever the reason is.
 */
export class BundleCheck {
  /** Whether an import must store the members of the items as they are. */
  needsExact = false
  readonly #dataset: Dataset
  readonly #listed: Unfit[] = []
  #count = 0

  constructor(dataset: Dataset) {
    this.#dataset = dataset
  }

  addAll(unfit: readonly Unfit[]): void {
    this.#count += unfit.length
    this.#listed.push(...unfit.slice(0, LISTED - this.#listed.length))
  }

  addManifest(text: string): void {
    this.addAll(readManifest(text, this.#dataset).map((reason) => ({ what: 'the dataset', reason })))
  }

  /**
   * Passes on the text of the items, which consists of whole lines.
   * @throws `OPERATION_FAILED` at the end, with all values that an import would change or refuse
   */
  async *readBack(text: AsyncIterable<string>): AsyncGenerator<string> {
    for await (const part of text) {
      for (const line of part.split('\n')) if (line !== '') this.#addLine(line)
      yield part
    }
    if (this.#count > 0) throw operationFailed(this.#lines)
  }

  #addLine(line: string): void {
    const { id, needsExact, problems } = readLine(line, this.#dataset.id)
    this.needsExact ||= needsExact
    if (problems.length > 0) this.addAll([{ what: `the item ${id}`, reason: problems.join('; ') }])
  }

  get #lines(): string[] {
    const lines = this.#listed.map(({ what, reason }) => `${what}: ${reason}`)
    const more = this.#count - lines.length
    return [
      `No bundle can hold the dataset ${this.#dataset.slug}, because an import would change or refuse values of it; correct them first`,
      ...lines,
      ...(more > 0 ? [`and ${more} more`] : []),
    ]
  }
}

const FIELDS = EXPORT_FIELDS.filter((field) => field !== 'datasetId')

/** Reads the line of an item as an import does. Returns whether the line must be exact, and the problems that remain then. */
function readLine(line: string, datasetId: string): { id?: unknown; needsExact: boolean; problems: string[] } {
  const row = parseJsonRow(1, line)
  if ('problem' in row) return { needsExact: false, problems: [row.problem] }
  const { id } = row.fields
  if (line.length > MAX_ROW_LENGTH)
    return { id, needsExact: false, problems: [`it is longer than ${MAX_ROW_LENGTH} characters`] }
  const needsExact = changesOf(row.fields, datasetId, false).length > 0
  return { id, needsExact, problems: needsExact ? changesOf(row.fields, datasetId, true) : [] }
}

function changesOf(fields: Fields, datasetId: string, isExact: boolean): string[] {
  const parsed = parseItem(fields, datasetId, isExact)
  if ('problem' in parsed) return [parsed.problem]
  const item: Fields = { ...parsed.item }
  return FIELDS.flatMap((field) => describeChange(field, fields[field], item[field]))
}

/** Returns what is wrong if two values have different JSON. */
function describeChange(field: string, from: unknown, to: unknown): string[] {
  if (from === to) return []
  const [before, after] = [from, to].map((value) => JSON.stringify(value ?? null))
  return before === after ? [] : [`${field} ${shorten(before)} would become ${shorten(after)}`]
}

const SHOWN = 60
const shorten = (text = '') => (text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text)

/** Returns what an import would refuse or change in the text of a manifest. */
function readManifest(text: string, dataset: Dataset): string[] {
  try {
    const read = new Map<string, unknown>(Object.entries(parseManifest('manifest.json', text).dataset))
    const { revision, ...columns } = dataset
    const written: object = JSON.parse(JSON.stringify(columns))
    return Object.entries(written).flatMap(([field, value]) => describeChange(field, value, read.get(field)))
  } catch (error) {
    return messageOf(error).split('\n')
  }
}

/** Finds items that are their own ancestors, which no single line can show. */
export async function findCycles(prisma: PrismaClient, datasetId: string): Promise<Unfit[]> {
  return prisma.$queryRaw`
    WITH RECURSIVE child AS (
      SELECT id, parent_item_id FROM items WHERE dataset_id = ${datasetId}::uuid AND parent_item_id IS NOT NULL
    ), reached AS (
      SELECT id FROM child WHERE NOT EXISTS (SELECT FROM child AS parent WHERE parent.id = child.parent_item_id)
       UNION ALL
      SELECT child.id FROM child JOIN reached ON child.parent_item_id = reached.id
    )
    SELECT 'the item ' || id AS what, 'its parents form a cycle' AS reason FROM child
     WHERE NOT EXISTS (SELECT FROM reached WHERE reached.id = child.id)`
}
