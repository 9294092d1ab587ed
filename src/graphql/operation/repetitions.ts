import { type DocumentNode, Kind, type SelectionSetNode } from 'graphql'
import type { CatalogError } from '../../errors.ts'
import { LIMITS, limitExceeded } from './limits.ts'
import { fragmentsOf } from './projection.ts'

/*
 * Validation compares each two selections that give the same field of the response (the rule OverlappingFieldsCanBeMerged), and each two
 * fragments of an object. So its time is quadratic in their number, which is limited before the validation.
 */

/** A fragment, and the one that contains it. */
interface Inside {
  name: string
  outer: Inside | undefined
}

/** Selections, and the fragments that contain them. */
interface Part {
  set: SelectionSetNode
  inside: Inside | undefined
}

/**
 * `VALIDATION_FAILED` for a document that selects a field too often at one place of the response, or expands to too many selections;
 * undefined for any other.
 */
export function findRepetitions(document: DocumentNode): CatalogError | undefined {
  const fragments = fragmentsOf(document)
  let selections = 0

  const checkPlace = (parts: readonly Part[]): CatalogError | undefined => {
    const fields = new Map<string, { times: number; parts: Part[] }>()
    const spread = new Set<string>()
    const collect = ({ set, inside }: Part) => {
      selections += set.selections.length
      for (const node of set.selections) {
        if (node.kind === Kind.INLINE_FRAGMENT) collect({ set: node.selectionSet, inside })
        else if (node.kind === Kind.FIELD) {
          const key = (node.alias ?? node.name).value
          const field = fields.get(key) ?? { times: 0, parts: [] }
          field.times += 1
          if (node.selectionSet) field.parts.push({ set: node.selectionSet, inside })
          fields.set(key, field)
        } else {
          const name = node.name.value
          // The validation refuses a fragment that contains itself.
          if (spread.has(name) || isInside(name, inside)) continue
          spread.add(name)
          const fragment = fragments[name]
          if (fragment) collect({ set: fragment.selectionSet, inside: { name, outer: inside } })
        }
      }
    }
    for (const part of parts) collect(part)
    if (selections > LIMITS.selections) return limitExceeded('selections', `must be at most ${LIMITS.selections}`)
    if (spread.size > LIMITS.repetitions) return tooMany(`${spread.size} fragments select fields of one object`)
    for (const [key, field] of fields) {
      if (field.times > LIMITS.repetitions) return tooMany(`this operation selects ${key} ${field.times} times`)
      const excess = checkPlace(field.parts)
      if (excess) return excess
    }
    return undefined
  }

  for (const definition of document.definitions) {
    if (!('selectionSet' in definition)) continue
    const excess = checkPlace([{ set: definition.selectionSet, inside: undefined }])
    if (excess) return excess
  }
  return undefined
}

function isInside(name: string, inside: Inside | undefined): boolean {
  for (let fragment = inside; fragment; fragment = fragment.outer) if (fragment.name === name) return true
  return false
}

function tooMany(found: string): CatalogError {
  return limitExceeded('repetitions', `must be at most ${LIMITS.repetitions}, but ${found}`)
}
