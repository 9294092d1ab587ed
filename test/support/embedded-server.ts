import { openEmbedded } from '../../src/embedded/embedded.ts'

/*
 * Opens the embedded database in the folder of its argument, until its parent ends (embedded-process.ts).
 */

await openEmbedded(process.argv[2] ?? '', { share: true })
process.send?.('ready')
process.once('disconnect', () => process.exit())
