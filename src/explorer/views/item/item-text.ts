import type { Item } from './request.ts'

/*
 * Values of an item as text.
 */

/** The lines of the address. A line that another one contains says nothing new. */
export function addressOf(item: Item): string {
  const { streetAddress, roadAddress, postalCode, addressLocality, addressRegion } = item
  const town = [postalCode, addressLocality, addressRegion].filter((part) => part).join(' ')
  const lines = [...new Set([roadAddress ?? '', streetAddress, town])].filter((line) => line !== '')
  return lines.filter((line) => !lines.some((other) => other !== line && other.includes(line))).join('\n')
}

/** Whether there is nothing to show: no value, or an empty text, list or object. */
export function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0
  return value === null || value === undefined || value === ''
}

/** A list is written with commas, an object as JSON. */
export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  return typeof value === 'object' ? JSON.stringify(value, undefined, 1) : String(value)
}
