import { existsSync, readFileSync } from 'node:fs'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import { expect } from 'vitest'
import type { TestApp } from './app.ts'
import { duringTests } from './database.ts'

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

/** Whether to run the browser tests. In CI they always run, and fail without a browser. */
export const hasBrowser = existsSync(CHROMIUM) || process.env.CI !== undefined
if (!hasBrowser) process.stderr.write(`No browser at ${CHROMIUM}: the browser tests are skipped\n`)

export interface OpenPage {
  page: Page
  /** URLs of other origins that the page has requested. */
  foreign: string[]
  /** Errors of scripts, and violations of the page's Content-Security-Policy. */
  errors: string[]
}

export interface Visit extends OpenPage {
  browser: Browser
}

interface Size {
  width: number
  height: number
}

export interface PageOptions {
  /** By default `reduce`: the map does not fly and names do not fade, because each frame takes CPU time. */
  reducedMotion?: 'reduce' | 'no-preference'
  locale?: string
  /** Whether the page can draw the map; by default it can. Without a graphics card that takes most of the time of a page. */
  map?: boolean
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

/** Starts headless Chromium without a page. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: [...QUIET, ...SOFTWARE_WEBGL] })
}

/** Opens an empty page in a browser of its own, as `openPage` does. */
export async function openBrowser(origin: string, viewport: Size, options: PageOptions = {}): Promise<Visit> {
  const browser = await launchBrowser()
  return { browser, ...(await openPage(browser, origin, viewport, options)) }
}

/**
 * Opens an empty page that shares no storage with other pages. Requests to other origins than `origin` are recorded in `foreign`.
 * `page.close()` closes all of it.
 */
export async function openPage(
  browser: Browser,
  origin: string,
  viewport: Size,
  { map = true, ...options }: PageOptions = {},
): Promise<OpenPage> {
  const page = await browser.newPage({ viewport, reducedMotion: 'reduce', ...options })
  if (!map) {
    await page.addInitScript(() => {
      // GraphiQL draws its editors with another context.
      HTMLCanvasElement.prototype.getContext = new Proxy(HTMLCanvasElement.prototype.getContext, {
        apply: (getContext, canvas, [kind, ...more]) =>
          String(kind).startsWith('webgl') ? null : Reflect.apply(getContext, canvas, [kind, ...more]),
      })
    })
  }
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
  return { page, foreign, errors }
}

/**
 * A page for the tests of a group, in a browser of its own, with a key in its address if `hasKey`. When the group ends, no script has
 * failed, no Content-Security-Policy was violated, and no other origin was asked.
 */
export const useVisit = (
  app: Pick<TestApp, 'url' | 'key'>,
  viewport: Size,
  { hasKey = false, ...options }: PageOptions & { hasKey?: boolean } = {},
): Visit =>
  duringTests(async () => {
    const visit = await openBrowser(app.url, viewport, options)
    if (hasKey) {
      await visit.page.goto(`${app.url}/#key=${app.key}`)
      await visit.page.locator('.card').first().waitFor()
    }
    const close = async () => {
      await visit.browser.close()
      expect([visit.foreign, visit.errors]).toEqual([[], []])
    }
    return { ...visit, close }
  })

const AXE = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

/** The rules of axe that a page breaks, each with the elements that do. */
export async function axeFindings(page: Pick<Page, 'evaluate'>): Promise<[string, string[]][]> {
  // evaluate() is not held to the page's policy, as a script element is.
  await page.evaluate(AXE)
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>('axe.run()')
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
}

/** Focuses one element after the other. Returns those whose ring is cut by the page, or by a part that scrolls or hides what it has no room for. */
export function cutRings(page: Pick<Page, 'evaluate'>): Promise<string[]> {
  return page.evaluate(() => {
    for (const folded of document.querySelectorAll('details')) folded.open = true
    const isCut = (element: HTMLElement) => {
      element.focus()
      element.scrollIntoView({ block: 'center', inline: 'center' })
      const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(element)
      if (document.activeElement !== element || outlineStyle === 'none') return false
      const ring = Number.parseFloat(outlineWidth) + Number.parseFloat(outlineOffset) - 0.5
      const { left, top, right, bottom, height } = element.getBoundingClientRect()
      const goesBeyond = (edge: Omit<DOMRectReadOnly, 'x' | 'y' | 'width' | 'toJSON'>) =>
        left - ring < edge.left ||
        right + ring > edge.right ||
        (height < edge.height && (top - ring < edge.top || bottom + ring > edge.bottom))
      if (goesBeyond(new DOMRect(0, 0, document.documentElement.clientWidth, innerHeight))) return true
      for (let part = element.parentElement; part && part !== document.body; part = part.parentElement)
        if (getComputedStyle(part).overflow !== 'visible' && goesBeyond(part.getBoundingClientRect())) return true
      return false
    }
    const all = document.querySelectorAll<HTMLElement>(
      'a[href], button:enabled, input, select, summary, [tabindex="0"]',
    )
    return [...all].filter((element) => element.checkVisibility() && isCut(element)).map((each) => each.outerHTML)
  })
}

/** Executes the first operation of the API reference, and waits for its answer. */
export async function sendFromReference(page: Page): Promise<void> {
  // The page draws an operation when it comes into view.
  await page.getByText('Items of a dataset', { exact: true }).first().click()
  await page
    .getByRole('button', { name: /Test Request/ })
    .first()
    .click()
  await page.getByRole('button', { name: /Send/ }).first().click()
  await page.getByText('200 OK').waitFor()
}
