import { readPageData } from './page-data.ts'

/*
 * The API key of this tab. It is kept in the tab's session storage: it survives a reload, all pages of this server share it, and
 * it is gone when the tab is closed.
 */

const STORAGE_NAME = 'dataset-catalog.key'

const listeners = new Set<(key: string | undefined) => void>()

/** The key of a page in a frame, to which a browser may refuse storage. */
let framed: string | undefined

/** Returns the key of this tab; undefined if there is none. */
export function readOwnKey(): string | undefined {
  return framed ?? sessionStorage.getItem(STORAGE_NAME) ?? undefined
}

/** Returns the key of this tab, or else the one that the page has for visitors (PUBLIC_KEY); undefined if there is none. */
export function readKey(): string | undefined {
  return readOwnKey() ?? readPageData().publicKey
}

/** Keeps the key for this tab and tells the listeners. */
export function setKey(key: string): void {
  sessionStorage.setItem(STORAGE_NAME, key)
  for (const listener of listeners) listener(key)
}

/** Forgets the key and tells the listeners. */
export function forgetKey(): void {
  if (readOwnKey() === undefined) return
  sessionStorage.removeItem(STORAGE_NAME)
  for (const listener of listeners) listener(undefined)
}

/** Calls the listener after each change of the key. */
export function onKeyChange(listener: (key: string | undefined) => void): void {
  listeners.add(listener)
}

/**
 * Removes the key from the fragment of the address (`#key=dck_…`) and from the history, and returns it; undefined if there is
 * none. A browser never sends the fragment to a server.
 */
export function takeKeyFromAddress(): string | undefined {
  const key = keyInAddress()
  if (key === null) return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  return key.trim() || undefined
}

/** Uses the key in the address of a frame, and leaves it there. Returns whether there is one. */
export function useKeyInAddress(): boolean {
  framed = keyInAddress()?.trim() || undefined
  return framed !== undefined
}

function keyInAddress(): string | null {
  return new URLSearchParams(location.hash.slice(1)).get('key')
}
