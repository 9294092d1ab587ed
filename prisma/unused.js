// npm installs whole packages. This removes files of them that nothing here reads, which are a quarter of node_modules.
import { globSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const cwd = fileURLToPath(new URL('../node_modules', import.meta.url))
const UNUSED = [
  // Node's headers, for modules in C++.
  'node/node_modules/node-*/include',
  // Prisma's query compilers, but for PostgreSQL's small one.
  '@prisma/client/runtime/query_compiler_fast_bg.*',
  '@prisma/client/runtime/query_compiler_small_bg.{cockroachdb,mysql,sqlite,sqlserver}.*',
  '@prisma/client/runtime/wasm-compiler-edge.*',
  // GraphiQL for CommonJS.
  '@graphql-yoga/render-graphiql/cjs/graphiql.js',
  // Source maps.
  '**/*.{js,mjs,cjs,ts,mts,cts,css}.map',
]

/** Removes the files. */
export function removeUnused() {
  for (const path of globSync(UNUSED, { cwd })) rmSync(`${cwd}/${path}`, { recursive: true, force: true })
}
