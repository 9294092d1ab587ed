import { posix } from 'node:path'
import type { Archive } from './archive.ts'

/** What a part says about another one: its name in the archive, and what it is, such as `worksheet`. */
export interface Relation {
  id: string
  type: string
  part: string
}

/** Returns the relations of a part, or those of the archive itself for the empty name (ECMA-376, part 2, 9). */
export async function readRelations(archive: Archive, part: string): Promise<Relation[]> {
  const relations: Relation[] = []
  const { dir, base } = posix.parse(part)
  const name = posix.join(dir, '_rels', `${base}.rels`)
  if (!archive.has(name)) return []
  await archive.readWhole(name, {
    open: (element, { Id, Type = '', Target, TargetMode }) => {
      if (element !== 'Relationship' || Id === undefined || Target === undefined || TargetMode === 'External') return
      // The first part of a type says whether the file is strict or transitional.
      const type = Type.slice(Type.lastIndexOf('/') + 1)
      // Some programs of Windows write the separator of its folders.
      relations.push({ id: Id, type, part: posix.resolve('/', dir, Target.replaceAll('\\', '/')).slice(1) })
    },
  })
  return relations
}
