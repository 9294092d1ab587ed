// Prints the contents of the package for a release, as CycloneDX: what `npm sbom` lists, without the packages that only build and test it.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { NATIVE } from './native.js'
import { SHIPPED, THIRD_PARTY } from './shipped.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const command = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only']
const sbom = JSON.parse(execFileSync('npm', command, { cwd: ROOT, maxBuffer: 1e8 }).toString())
// npm takes the name of the folder, and calls all that is bundled a development dependency.
sbom.metadata.component.name = 'dataset-catalog'
const isShipped = (ref) => SHIPPED.has(ref)
sbom.components = sbom.components
  .filter((component) => isShipped(component['bom-ref']))
  .map(({ properties, ...component }) => ({ ...component, scope: 'required' }))
sbom.dependencies = sbom.dependencies
  .filter(({ ref }) => isShipped(ref) || ref === sbom.metadata.component['bom-ref'])
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isShipped) }))
const missing = [...SHIPPED].filter((ref) => !sbom.components.some((component) => component['bom-ref'] === ref))
if (missing.length > 0) throw new Error(`npm does not list ${missing.join(', ')}`)
const [, version] = /Scalar (\S+) \(MIT\)/.exec(THIRD_PARTY)
sbom.components.push({
  'bom-ref': `@scalar/api-reference@${version}`,
  type: 'library',
  name: '@scalar/api-reference',
  version,
  scope: 'required',
  purl: `pkg:npm/%40scalar/api-reference@${version}`,
  licenses: [{ license: { id: 'MIT' } }],
})
for (const { name, version, license, cpe } of NATIVE) {
  const ref = `${name.toLowerCase()}@${version}`
  sbom.components.push({
    ...{ 'bom-ref': ref, type: 'library', name, version, scope: 'required', purl: `pkg:generic/${ref}` },
    ...(cpe && { cpe }),
    licenses: [{ license: { id: license } }],
  })
}
process.stdout.write(`${JSON.stringify(sbom, null, 2)}\n`)
