import { quoteForShell } from '../../errors/quote-for-shell.ts'
import { type Proposal, UNKNOWN_SYSTEM, WGS_84 } from '../../init/init-manifest.ts'
import type { Located } from '../../init/where.ts'
import { printLine, printNarrowTable, printNotice, printTable } from '../print.ts'

/** Prints all that `catalog import init` took from a file. */
export function printProposal(proposal: Proposal): void {
  const { places, texts, warnings, bad } = proposal
  printLine(describeFile(proposal))
  printFields(proposal)
  printParagraph(texts.length > 0 ? [`  letters: ${texts.join(' · ')}`] : [])
  printPlaces(places)
  if (places.length === 0) printLine()
  printChoices(proposal)
  printSystems(proposal)
  for (const line of [...warnings, ...bad]) printNotice(line)
  printNext(proposal)
}

/** Prints lines after an empty one. */
function printParagraph(lines: readonly string[]): void {
  if (lines.length > 0) printLine()
  for (const line of lines) printLine(line)
}

/** Says how a file is written, with the defaults. */
function describeFile({ file, format, read, rows }: Proposal): string {
  const { encoding, delimiter, decimal, crs, sheet } = read
  const system = crs === WGS_84 ? 'degrees' : crs === UNKNOWN_SYSTEM ? 'metres' : crs
  const facts = [
    format,
    delimiter && `delimiter ${JSON.stringify(delimiter)}`,
    encoding?.toUpperCase(),
    sheet && `sheet ${JSON.stringify(sheet)}`,
    `decimal ${JSON.stringify(decimal)}`,
    system,
    `${rows.toLocaleString('en')} rows`,
  ]
  return `${file}   ${facts.filter(Boolean).join(', ')}`
}

function printFields({ columns, values, labels, missing, unused }: Proposal): void {
  const member = <Value>(of: Partial<Record<string, Value>>, field: string): Value | undefined => of[field]
  const fields = Object.entries(columns).flatMap(([field, source]) => {
    if (field === 'extraAttributes' && missing.length > 0) return []
    const title = field === 'id' || field === 'externalId' ? `identity (${field})` : field
    const label = member(labels, field)
    const own = ['', title, describeSource(source), member(values, field) ?? '']
    return label === undefined ? [own] : [own, ['', '  its label', label.column, label.value]]
  })
  const lacking = missing.map((field) => ['', field, '?', 'no column is called so'])
  const left = missing.length > 0 ? unused.map(({ column, value }) => ['', '(no field)', column, value]) : []
  printLine()
  printNarrowTable(['', 'field', 'column', 'first value'], [...lacking, ...fields, ...left])
}

/** The columns of a field as a person writes them. */
function describeSource(source: NonNullable<Proposal['columns']['name']>): string {
  if (typeof source === 'string') return source
  if (Array.isArray(source)) return source.map((each) => (typeof each === 'string' ? each : each.column)).join(', ')
  if ('template' in source) return source.template.replaceAll(/[{}]/g, '')
  if ('value' in source) return '(the same in every row)'
  return 'column' in source
    ? `${source.column}, else ${source.default}`
    : Object.values(source)
        .map((part) => (typeof part === 'object' && 'value' in part ? part.value : part))
        .join(' ')
}

function printChoices({ choices }: Proposal): void {
  for (const { what, readings } of choices) {
    printLine(`  ${what}: ${readings[0]?.choice}`)
    const rows = readings.map(({ choice, example, write }, index) => [
      '',
      index === 0 ? '' : 'or',
      write,
      index === 0 ? example : [example, choice].filter((text) => text !== '').join(': '),
    ])
    printRows(rows)
    printLine()
  }
}

function printSystems({ question, systems = [] }: Proposal): void {
  if (question === undefined) return
  printLine(`  reference system: ${question}`)
  printRows(systems.map(({ choice, example, write }) => ['', '', write, `${example}: ${choice}`]))
  printLine()
}

/** Prints a table without a header. What a person copies is not cut. */
function printRows([first, ...others]: readonly (readonly string[])[]): void {
  if (first) printTable(first, others)
}

function printNext({ manifest, isWritten, question, choices, rows, badRows, dialect }: Proposal): void {
  if (manifest === undefined) return
  const open = [...choices.map(({ what }) => what), ...(question === undefined ? [] : ['reference system'])]
  const bad = badRows > 0 ? `, with which ${badRows} of ${rows} rows are bad` : ''
  const crs = dialect.crs === UNKNOWN_SYSTEM ? 'the right "crs"' : `"crs": ${JSON.stringify(dialect.crs)}`
  if (isWritten) printLine(`Wrote ${manifest}${bad}.${open.length > 0 ? ` Choices: ${open.join(', ')}.` : ''}`)
  else
    printLine(`${manifest} was there, and stays as it is${dialect.crs === undefined ? '' : `: write ${crs} into it`}.`)
  const command = `npx catalog import --dry-run ${badRows > 0 ? '--skip-invalid ' : ''}${quoteForShell(manifest)}`
  printLine(`Wrong? Edit it. Then: ${command}`)
}

/** Prints places as they would be stored, and where each of them is, between empty lines. */
export function printPlaces(places: readonly Located[]): void {
  if (places.length === 0) return
  const rows = places.map(({ row, name, latitude, longitude, where }) => [
    '',
    row.toLocaleString('en'),
    name,
    latitude,
    longitude,
    where,
  ])
  printLine()
  printNarrowTable(['', 'row', 'name', 'latitude', 'longitude', 'where'], rows)
  printLine()
}
