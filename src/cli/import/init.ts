import { Command } from 'commander'
import { initManifest } from '../../import/init/init-manifest.ts'
import { printJson, printLine, printNotice, printTable } from '../print.ts'

export function initCommand(): Command {
  return new Command('init')
    .description('look at a CSV, NDJSON or GeoJSON file, and write a manifest with guessed columns')
    .argument('<file>', 'file of items')
    .option('--output <manifest>', 'path of the manifest; by default it is beside the file')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  npx catalog import init museums.csv')
    .action(init)
}

async function init(file: string, { output, json }: { output?: string; json?: true }): Promise<void> {
  const written = await initManifest(file, output)
  if (json) return printJson(written)
  const { manifest, columns, missing } = written
  const describe = (source: unknown) => (typeof source === 'string' ? source : JSON.stringify(source))
  printTable(
    ['FIELD', 'SOURCE'],
    Object.entries(columns).map(([field, source]) => [field, describe(source)]),
  )
  if (missing.length > 0)
    printNotice(`warning: no column was found for ${missing.join(', ')}; add them to the manifest`)
  printLine(`Wrote ${manifest}. Correct it, then try it: npx catalog import --dry-run ${manifest}`)
}
