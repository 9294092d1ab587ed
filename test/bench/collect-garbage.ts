import { renameSync, writeFileSync } from 'node:fs'
import { collectedFile } from './collected-file.ts'

/*
 * Collects the garbage of the process that imports it, on SIGUSR2, and then writes a file. A second collection frees what
 * finalizers have released. The file says what is left.
 */
process.on('SIGUSR2', () => {
  void globalThis.gc?.()
  setImmediate(() => {
    void globalThis.gc?.()
    const file = collectedFile(process.pid)
    // A reader sees the whole file or none.
    writeFileSync(`${file}.new`, JSON.stringify(process.memoryUsage()))
    renameSync(`${file}.new`, file)
  })
})
