import { openBrowser, WIDE } from '../support/browser.ts'
import { median } from './measure.ts'

/*
 * Frames per second of the explorer's map while it is dragged, at four zooms: node test/bench/frames.ts URL SLUG KEY
 * Headless Chromium draws without a graphics card.
 */

const VIEWS = ['0,0,2', '48,8,5', '37.56,126.97,8', '37.56,126.97,11']
const LOAD_MS = 6_000
const DRAG_MS = 6_000
const STEP_MS = 16

const [origin = 'http://127.0.0.1:4000', slug = 'airports', key = ''] = process.argv.slice(2)
for (const view of VIEWS) process.stdout.write(`${view}: ${await measure(view)}\n`)

async function measure(view: string): Promise<string> {
  const { browser, page } = await openBrowser(origin, WIDE, { reducedMotion: 'no-preference' })
  await page.goto(`${origin}/?dataset=${slug}&at=${view}#key=${key}`)
  await page.waitForTimeout(LOAD_MS)
  const box = await page.locator('canvas').boundingBox()
  if (!box) throw new Error(`The page has no map at ${view}`)
  const frames = await page.evaluateHandle(() => {
    const times: number[] = []
    const note = (time: number) => {
      times.push(time)
      requestAnimationFrame(note)
    }
    requestAnimationFrame(note)
    return times
  })
  const centre = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  await page.mouse.move(centre.x, centre.y)
  await page.mouse.down()
  await frames.evaluate((times) => times.splice(0))
  const end = Date.now() + DRAG_MS
  for (let n = 0; Date.now() < end; n += 1) {
    await page.mouse.move(centre.x + 150 * Math.sin(n / 15), centre.y + 100 * Math.sin(n / 10))
    await page.waitForTimeout(STEP_MS)
  }
  const times = await frames.evaluate((all) => all)
  await browser.close()
  const gaps = times.slice(1).map((time, n) => time - (times[n] ?? time))
  const perSecond = (times.length * 1_000) / DRAG_MS
  return `${perSecond.toFixed(0)} frames/s, median ${median(gaps).toFixed(0)} ms, longest ${Math.max(...gaps).toFixed(0)} ms`
}
