import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The file that a process writes when it has collected its garbage. */
export const collectedFile = (pid: number) => join(tmpdir(), `collected-garbage-${pid}`)
