// What the executable file runs. Node can't load modules, workers and WebAssembly from the file, so they are written to a folder once.
const { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } = require('node:fs')
const { isWorker } = require('node:cluster')
const { createRequire } = require('node:module')
const { homedir } = require('node:os')
const { dirname, join } = require('node:path')
const { getAsset, getAssetKeys, getRawAsset } = require('node:sea')

/** Returns the folder with the files of this version. Two processes may write it at once. */
function unpack() {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'dataset-catalog')
  const folder = join(cache, getAsset('id', 'utf8'))
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true, mode: 0o700 })
  const partial = mkdtempSync(`${folder}.`)
  for (const key of getAssetKeys()) {
    mkdirSync(dirname(join(partial, key)), { recursive: true })
    writeFileSync(join(partial, key), Buffer.from(getRawAsset(key)))
  }
  try {
    renameSync(partial, folder)
  } catch (error) {
    rmSync(partial, { recursive: true })
    if (!existsSync(folder)) throw error
  }
  return folder
}

// Node starts a worker as it would without a single file: with its options, and what stands here, before the arguments. At first that is the path
// as it was typed, which may be relative.
if (isWorker) process.argv.splice(2, process.argv.indexOf(process.execPath, 2) - 1)
else process.argv[1] = process.execPath
let folder
try {
  folder = unpack()
} catch (error) {
  process.stderr.write(`catalog: its files can't be written; set XDG_CACHE_HOME to a folder: ${error.message}\n`)
  process.exit(1)
}
createRequire(join(folder, 'main.cjs'))('./node_modules/dataset-catalog/package/catalog.js')
