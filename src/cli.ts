#!/usr/bin/env -S node --disable-warning=ExperimentalWarning --max-semi-space-size=32
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Node keeps compiled modules here: a later start takes half the time. The rest is loaded after this line, so that it counts too.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)))
const { runProgram } = await import('./cli/program.ts')
await runProgram()
