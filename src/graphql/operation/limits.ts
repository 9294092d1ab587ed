import { type DocumentNode, Kind, type SelectionSetNode, visit } from 'graphql'
import { type CatalogError, validationFailed } from '../../errors/errors.ts'
import { fragmentsOf } from './selected-fields.ts'

/** Limits on an operation. An operation that exceeds one is refused before any SQL runs, and the message names the limit. */
export const LIMITS = {
  /** Weighted fields in the response (cost.ts). */
  cost: 25_000,
  /** Nesting depth of fields. */
  depth: 12,
  /** Aliases in the whole document, except those of lookups. */
  aliases: 50,
  /** Characters of an alias. The response repeats it for each object of a list. */
  aliasLength: 100,
  /** Aliases of fields with an argument `id` in the whole document. Gateways send many lookups by id as one operation. */
  lookups: 100,
  /** Directives in the whole document. */
  directives: 50,
  /** Selections of one field, or fragments, at one place of the response. */
  repetitions: 100,
  /** Selections, counted again for each place where a fragment is used. */
  selections: 25_000,
  /** Lexical tokens. A deeply nested document would overflow the parser's stack. A hundred lookups fit into this limit. */
  tokens: 4_000,
  /** Bytes of the document. */
  bytes: 50_000,
  /** Objects in the response. The cost assumes a length for lists without a page size, and they can be longer. */
  objects: 25_000,
  /** Characters of texts in the response. */
  characters: 64_000_000,
} as const

/** The numbers of aliases, lookups and directives in a document, and the length of its longest alias. */
export function countNodes(document: DocumentNode) {
  const counts = { aliases: 0, aliasLength: 0, lookups: 0, directives: 0 }
  visit(document, {
    Field: ({ alias, arguments: args }) => {
      if (!alias) return
      counts[args?.some(({ name }) => name.value === 'id') ? 'lookups' : 'aliases'] += 1
      counts.aliasLength = Math.max(counts.aliasLength, alias.value.length)
    },
    Directive: () => {
      counts.directives += 1
    },
  })
  return counts
}

const COUNTED = ['aliases', 'aliasLength', 'lookups', 'directives', 'depth', 'cost'] as const

/** `VALIDATION_FAILED` for the first limit that an operation exceeds, and how far; undefined if it exceeds none. */
export function findExcess(counts: { [Name in (typeof COUNTED)[number]]?: number }): CatalogError | undefined {
  for (const name of COUNTED) {
    const found = counts[name] ?? 0
    if (found > LIMITS[name])
      return limitExceeded(name, `must be at most ${LIMITS[name]}, but this operation has ${found}`)
  }
  return undefined
}

/** `VALIDATION_FAILED` for a document with too many bytes; undefined for any other. */
export function findExcessLength(document: string): CatalogError | undefined {
  if (Buffer.byteLength(document) <= LIMITS.bytes) return undefined
  return limitExceeded('query', `must be at most ${LIMITS.bytes} bytes long`)
}

/** `VALIDATION_FAILED`, which names a limit and its bound. */
export function limitExceeded(field: string, message: string): CatalogError {
  return validationFailed([{ field, message }])
}

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
          // Before the validation, a name may be that of no fragment, but of a property of every object, such as `toString`.
          const fragment = Object.hasOwn(fragments, name) ? fragments[name] : undefined
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
