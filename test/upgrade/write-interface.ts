// Writes what docs/stability.md freezes into test/upgrade/VERSION. Run it in a checkout of the release: node test/upgrade/write-interface.ts VERSION
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { printSchema } from 'graphql'
import { schema } from '../../src/graphql/schema.ts'
import { interfaceLines } from './interface.ts'

const folder = join(import.meta.dirname, process.argv[2] ?? '')
await mkdir(folder, { recursive: true })
const content = JSON.stringify({ lines: interfaceLines(), schema: printSchema(schema) })
await writeFile(join(folder, 'interface.json.br'), brotliCompressSync(content))
