// Prints what the known vulnerabilities of npm packages mean for a release, as OpenVEX 0.2.0: npm audit --json | node package/vex.js
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { SHIPPED } from './shipped.js'

/**
 * What was found out about vulnerabilities of shipped packages, by their GHSA names: fields of a statement, with the reason as `status_notes`.
 * For example `{ status: 'not_affected', justification: 'vulnerable_code_not_in_execute_path', status_notes: 'It reads only our files' }`, or
 * `{ status: 'affected', action_statement: 'Update to 1.1.1' }`. What is not here is under investigation.
 */
const FINDINGS = {}

/** A package that only builds or tests the gateway. */
const NOT_SHIPPED = { status: 'not_affected', justification: 'component_not_present' }

const read = (file) => JSON.parse(readFileSync(file, 'utf8'))
const { name, version, packages } = read(new URL('../package-lock.json', import.meta.url))
const purl = (name, version) => `pkg:npm/${name.replace('@', '%40')}@${version}`

/** @returns a statement for the versions that are shipped, and one for those that are not */
function statementsOf({ advisory, nodes }) {
  const id = advisory.url.split('/').at(-1)
  const vulnerability = { '@id': advisory.url, name: id, description: advisory.title }
  const installed = new Set(nodes.map((node) => packages[node].version))
  const versions = Map.groupBy(installed, (version) => SHIPPED.has(`${advisory.name}@${version}`))
  return Array.from(versions, ([isShipped, group]) => {
    const subcomponents = group.map((version) => ({ '@id': purl(advisory.name, version) }))
    const finding = isShipped ? (FINDINGS[id] ?? { status: 'under_investigation' }) : NOT_SHIPPED
    return { vulnerability, products: [{ '@id': purl(name, version), subcomponents }], ...finding }
  })
}

const { vulnerabilities, message } = read(0)
if (!vulnerabilities) throw new Error(`npm audit has failed: ${message}`)
// A package that is vulnerable because of another one has the name of that one in `via`, and no advisory of its own.
const statements = Object.values(vulnerabilities).flatMap(({ via, nodes }) =>
  via.filter((cause) => typeof cause === 'object').flatMap((advisory) => statementsOf({ advisory, nodes })),
)
const document = {
  '@context': 'https://openvex.dev/ns/v0.2.0',
  '@id': `urn:uuid:${randomUUID()}`,
  author: 'Dataset Catalog',
  timestamp: new Date().toISOString(),
  version: 1,
  tooling: 'npm audit',
  statements,
}
// A document needs a statement.
if (statements.length > 0) process.stdout.write(`${JSON.stringify(document, null, 2)}\n`)
