import { type ApiRequest, ask, operation, restPath } from '../../data/api-request.ts'
import { LISTED, type ListedItem } from '../../data/datasets.ts'

export interface Picture {
  originalUrl: string
  cdnUrl: string
  thumbnailMediumUrl: string
  altText: string
  isPrimary: boolean
}

const TEXTS = ['description', 'streetAddress', 'contactName', 'telephone', 'url', 'createdAt', 'updatedAt'] as const
const OPTIONAL_TEXTS = [
  ...(['externalId', 'addressRegion', 'addressLocality', 'postalCode', 'roadAddress'] as const),
  ...(['jibunAddress', 'email', 'openingHours'] as const),
] as const

type Texts = Record<(typeof TEXTS)[number], string> & Record<(typeof OPTIONAL_TEXTS)[number], string | null>

export interface Item extends ListedItem, Texts {
  keywords: string[]
  extraAttributes: Record<string, unknown>
  dataset: { id: string; slug: string; name: string; attribution: string }
  parent: { id: string; name: string } | null
  children: { total: number; nodes: { id: string; name: string; categoryCode: string }[] }
  images: Picture[]
}

/** The fields of an item with everything around it. */
const DETAILS = `${LISTED}
    ${OPTIONAL_TEXTS.join(' ')}
    ${TEXTS.join(' ')} keywords extraAttributes
    dataset { id slug name attribution }
    parent { id name }
    children(limit: 100) { total nodes { id name categoryCode } }
    images { originalUrl cdnUrl thumbnailMediumUrl altText isPrimary }`

/** Returns the request for an item with everything around it. */
export function itemRequest(id: string): ApiRequest<{ item: Item | null }> {
  return {
    path: restPath(`/v1/dataset-items/${encodeURIComponent(id)}`),
    query: operation('Item', { id }, `  item(id: $id) {\n    ${DETAILS}\n  }`),
    variables: { id },
  }
}

/** Reads an item. Its numbers keep their digits. */
export async function readItem(id: string, signal: AbortSignal): Promise<Item | null> {
  return (await ask(itemRequest(id), signal, {}, parseExactJson)).item
}

interface RawNumber {
  readonly rawJSON: string
}

declare global {
  interface JSON {
    rawJSON: (text: string) => RawNumber
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
  }
}

/**
 * Parses JSON. JSON.stringify writes each number of it with the digits that the server wrote, in browsers that have `JSON.rawJSON`. A number of
 * JavaScript has 53 bits (https://github.com/tc39/proposal-json-parse-with-source).
 */
function parseExactJson(text: string): unknown {
  return typeof JSON.rawJSON === 'function' ? JSON.parse(text, keepDigits) : JSON.parse(text)
}

function keepDigits(_key: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' && source !== undefined && String(value) !== source ? JSON.rawJSON(source) : value
}
