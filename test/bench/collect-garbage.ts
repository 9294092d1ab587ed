import { writeFileSync } from 'node:fs'
import { collectedFile } from './collected-file.ts'

/*
 * Collects the garbage of the process that imports it, on SIGUSR2, and then writes a file. A second collection frees what
 * finalizers have released.
 */
process.on('SIGUSR2', () => {
  void globalThis.gc?.()
  setImmediate(() => {
    void globalThis.gc?.()
    writeFileSync(collectedFile(process.pid), '')
  })
})
