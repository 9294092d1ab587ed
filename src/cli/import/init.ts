import { quoteForShell } from '../../errors/quote-for-shell.ts'
import { type InitializedManifest, initManifest } from '../../init/init-manifest.ts'
import { describeInference } from '../../rows/inference.ts'
import { CatalogCommand } from '../command.ts'
import { printLine, printNotice, printTable } from '../print.ts'

export const initCommand = new CatalogCommand('init')
  .description('write a manifest for a file of items, with guesses to check')
  .argument('<file>', 'file of items')
  .option('--output <manifest>', 'path of the manifest; by default it is beside the file')
  .example('npx catalog import init museums.csv')
  .printing({
    run: (file: string, { output }: { output?: string }) => initManifest(file, output),
    print: (written) => {
      printFound(written)
      printWarnings(written)
      printNext(written)
    },
    toJson: ({ checked: { rows, badRows, items, warnings }, ...found }) => ({
      ...{ ...found, rows, badRows, items, warnings: warnings.describe() },
    }),
  })

function printFound({ columns, dialect, checked }: InitializedManifest): void {
  const describe = (source: unknown) => (typeof source === 'string' ? source : JSON.stringify(source))
  const members = Object.entries(dialect).map(([member, value]) => `${member} ${JSON.stringify(value)}`)
  if (members.length > 0) {
    printLine(`The file has ${members.join(', ')}.`)
    printLine()
  }
  printTable(
    ['FIELD', 'SOURCE'],
    Object.entries(columns).map(([field, source]) => [field, describe(source)]),
  )
  if (checked.items.length === 0) return
  printLine()
  printLine('The first items as they would be stored:')
  printTable(
    ['NAME', 'AREA', 'CATEGORY', 'LATITUDE', 'LONGITUDE', 'EXTERNAL ID'],
    checked.items.map((item) => [
      ...[item.name, item.administrativeAreaCode, item.categoryCode, item.latitude, item.longitude],
      item.externalId ?? item.id ?? '',
    ]),
  )
  const { extent } = checked
  if (!extent) return
  const { west, south, east, north } = extent
  printLine(`All items: latitude ${south} to ${north}, longitude ${west} to ${east}`)
}

function printWarnings({ missing, unread, repeatedKey, inferences, checked }: InitializedManifest): void {
  for (const line of inferences.flatMap(describeInference)) printNotice(line)
  if (missing.length > 0) {
    printNotice(
      `warning: no column was found for ${missing.join(', ')}; add ${missing.length === 1 ? 'it' : 'them'} to the manifest`,
    )
    if (unread !== undefined) printNotice(`warning: ${unread}`)
    return
  }
  if (repeatedKey !== undefined) {
    printNotice(
      `warning: the column ${repeatedKey} repeats values, so it is no key; see externalId for what is used instead`,
    )
  }
  for (const line of checked.warnings.describe('warning: ')) printNotice(line)
  for (const line of checked.bad.describe('bad row: ')) printNotice(line)
}

function printNext({ manifest, missing, checked: { rows, badRows } }: InitializedManifest): void {
  const command = (option = '') => `npx catalog import ${option}${quoteForShell(manifest)}`
  printLine()
  if (missing.length > 0) {
    printLine(`Wrote ${manifest}. Complete it, then try it: ${command('--dry-run ')}`)
    return
  }
  if (badRows > rows / 2) {
    printLine(
      `Wrote ${manifest}, with which ${badRows} of ${rows} rows are bad. Correct it, then: ${command('--dry-run ')}`,
    )
    return
  }
  const bad = badRows > 0 ? `, ${badRows} of them bad` : ''
  const next = command(badRows > 0 ? '--skip-invalid ' : '')
  printLine(`Wrote ${manifest}: ${rows} rows${bad}. Correct it if needed, then: ${next}`)
}
