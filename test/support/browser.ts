import { existsSync } from 'node:fs'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

/** Whether to run the browser tests. In CI they always run, and fail without a browser. */
export const hasBrowser = existsSync(CHROMIUM) || process.env.CI !== undefined
if (!hasBrowser) process.stderr.write(`No browser at ${CHROMIUM}: the browser tests are skipped\n`)

export interface Visit {
  browser: Browser
  page: Page
  /** URLs of other origins that the page has requested. */
  foreign: string[]
  /** Errors of scripts, and violations of the page's Content-Security-Policy. */
  errors: string[]
}

const QUIET = ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking']
/** The map needs WebGL, and the machine has no graphics card. Only the map is drawn with WebGL then, not the whole page. */
const SOFTWARE_WEBGL = [
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--ignore-gpu-blocklist',
  '--disable-gpu-compositing',
]

/** The explorer shows the list beside the map, as on a large screen. Without a graphics card, each pixel more takes CPU time. */
export const WIDE = { width: 1024, height: 640 }
/** For pages without a map. */
export const LARGE = { width: 1440, height: 900 }
export const PHONE = { width: 390, height: 844 }

const TIMEOUT_MS = 300_000

/** Types a key into the field in the bar, as a person does. */
export async function giveKey(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key', { exact: true }).fill(key)
  await page.getByRole('button', { name: 'Use key' }).click()
}

/** Opens a form of the row of controls above a list of places, unless it is open. */
export async function openControl(page: Page, name: 'Filters' | 'Nearby' | 'Download'): Promise<void> {
  await page
    .locator('.control-row')
    .getByRole('button', { name: new RegExp(`^${name}`), expanded: false })
    .click()
}

/** Clicks a button that copies, and waits for its message. It shows it for four seconds, in which a slow test may not look. */
export async function clickCopy(button: Locator, message = 'Copied'): Promise<void> {
  const observed = await button.evaluateHandle((element, text) => {
    const isShown = Promise.withResolvers<void>()
    const observer = new MutationObserver(() => element.textContent === text && isShown.resolve())
    observer.observe(element, { childList: true })
    return { isShown: isShown.promise }
  }, message)
  await button.click()
  await observed.evaluate(({ isShown }) => isShown)
}

/**
 * Opens an empty page in headless Chromium. Requests to other origins than `origin` are recorded in `foreign`.
 * @param motion without it the map does not fly and names do not fade, because each frame takes CPU time
 */
export async function openBrowser(
  origin: string,
  viewport: { width: number; height: number },
  motion: 'reduce' | 'no-preference' = 'reduce',
): Promise<Visit> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [...QUIET, ...SOFTWARE_WEBGL],
  })
  const page = await browser.newPage({ viewport, reducedMotion: motion })
  // Playwright's default of 30 seconds is too short for a busy machine.
  page.setDefaultTimeout(TIMEOUT_MS)
  const foreign: string[] = []
  const errors: string[] = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol.startsWith('http') && url.origin !== origin) foreign.push(request.url())
  })
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) errors.push(message.text())
  })
  return { browser, page, foreign, errors }
}
