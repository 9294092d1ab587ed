import { request } from './api.ts'
import { messageOf } from './api-error.ts'
import { byId } from './element.ts'
import { forgetKey, onKeyChange, readOwnKey, setKey, takeKeyFromAddress } from './key.ts'
import { startKeyFacts } from './key-facts.tsx'
import { t } from './text.ts'

/*
 * The field for the API key, in the bar of all pages.
 */

/** Starts the key field, and takes a key from the address. No other script may run before, because it could read the key there. */
export function startKeyField(): void {
  const form = byId('key-form', HTMLFormElement)
  const input = byId('key-input', HTMLInputElement)
  const status = byId('key-status', HTMLElement)

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const key = input.value.trim()
    const problem = await checkKey(key)
    status.textContent = problem ?? ''
    input.setAttribute('aria-invalid', String(problem !== undefined))
    if (problem !== undefined) return input.focus()
    input.value = ''
    setKey(key)
    // The form that had the focus is hidden now.
    byId('key-facts', HTMLDetailsElement).querySelector('summary')?.focus()
  })
  byId('key-forget', HTMLButtonElement).addEventListener('click', () => {
    forgetKey()
    input.setAttribute('aria-invalid', 'false')
    status.textContent = t.keyForgotten
    input.focus()
  })
  startKeyFacts(byId('key-facts', HTMLDetailsElement))
  onKeyChange(showKey)
  showKey(readOwnKey())
  useKeyOfAddress()
  // `hashchange` is later: the explorer may have written another address by then.
  window.addEventListener('popstate', useKeyOfAddress)
}

function useKeyOfAddress(): void {
  const key = takeKeyFromAddress()
  if (key === undefined) return
  if (fitsHeader(key)) setKey(key)
  else {
    if (readOwnKey() !== undefined) forgetKey()
    askForKey(t.keyMalformed)
  }
}

/** Moves the focus to the key field and says why. */
export function askForKey(message: string): void {
  byId('key-status', HTMLElement).textContent = message
  const input = byId('key-input', HTMLInputElement)
  input.setAttribute('aria-invalid', 'true')
  input.focus()
}

function showKey(key: string | undefined): void {
  // The facts of another key would stay.
  byId('key-facts', HTMLDetailsElement).open = false
  byId('key-form', HTMLFormElement).hidden = key !== undefined
  byId('key-known', HTMLElement).hidden = key === undefined
  if (key !== undefined) byId('key-status', HTMLElement).textContent = ''
}

/** Asks the server whether a key is valid. Returns the problem; undefined if the key is valid. */
async function checkKey(key: string): Promise<string | undefined> {
  if (!fitsHeader(key)) return t.keyMalformed
  try {
    await request('/v1/datasets', {}, key)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

/** Whether the Authorization header can hold a key. */
function fitsHeader(key: string): boolean {
  return /^[\x21-\x7e]+$/.test(key)
}
