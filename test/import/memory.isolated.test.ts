import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { ndjson, row, useImporter } from '../support/import.ts'

/*
 * In a process of its own, whose heap holds nothing of other tests.
 */

const t = useImporter()

test('memory does not grow with the file', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const rows = Array.from({ length: 20_000 }, (_, n) => row({ externalId: String(n), description: 'x'.repeat(1000) }))
  const usedHeap: number[] = []
  let nextRow = 0
  await t.importer.run(
    { 'a.ndjson': ndjson(...rows.splice(0)) },
    {
      onProgress: ({ rows: read }) => {
        // A collection may take longer than the interval of the progress. One for each row would take hours.
        if (read < nextRow) return
        nextRow = read + 1_000
        collectGarbage()
        usedHeap.push(process.memoryUsage().heapUsed)
      },
    },
  )
  expect(usedHeap.length).toBeGreaterThan(1)
  // The file has 20 MB. The heap holds a few batches.
  expect(Math.max(...usedHeap) - Math.min(...usedHeap)).toBeLessThan(10_000_000)
})
