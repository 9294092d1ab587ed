import type { Locator, Page } from 'playwright-core'

/*
 * A person by the keystroke-level model of Card, Moran and Newell. What the person does is done in a real browser and a real shell; the
 * seconds of the person are those of the model, and the seconds of the machine are measured.
 */

/** Seconds. */
const KEY = 0.28
const POINT = 1.1
const CLICK = 0.2
const PASTE = 2
const THINK = 1.35
const WORDS_A_SECOND = 4

export interface Step {
  title: string
  commands: number
  clicks: number
  keys: number
  person: number
  machine: number
}

/** A step while the person takes it. */
export class Acts {
  readonly step: Step

  constructor(title: string) {
    this.step = { title, commands: 0, clicks: 0, keys: 0, person: 0, machine: 0 }
  }

  /** Reads a text. What has a letter or a digit is a word, also in code; the dots of a map are none. */
  read(text: string): void {
    this.step.person += (text.match(/\S*[\p{L}\p{N}]\S*/gu) ?? []).length / WORDS_A_SECOND
  }

  /** Copies a text to another window. */
  paste(): void {
    this.step.person += THINK + PASTE
  }

  /** Pastes a line into a shell, and waits for it. */
  async command<Result>(run: () => Promise<Result>): Promise<Result> {
    this.paste()
    this.step.person += KEY
    this.step.commands += 1
    return this.wait(run)
  }

  /** Waits for the machine. */
  async wait<Result>(action: () => Promise<Result>): Promise<Result> {
    const start = performance.now()
    try {
      return await action()
    } finally {
      this.step.machine += (performance.now() - start) / 1000
    }
  }

  /** Clicks something that is not in a page, such as a link in a terminal. */
  point(): void {
    this.step.person += THINK + POINT + CLICK
    this.step.clicks += 1
  }

  async click(target: Locator): Promise<void> {
    this.point()
    await this.wait(() => target.click())
  }

  /** Types into the field that has the focus. */
  async type(page: Page, text: string): Promise<void> {
    this.step.person += THINK + text.length * KEY
    this.step.keys += text.length
    await this.wait(() => page.keyboard.type(text))
  }

  async press(page: Page, key: string): Promise<void> {
    this.step.person += KEY
    this.step.keys += 1
    await this.wait(() => page.keyboard.press(key))
  }

  /** Goes to something by the Tab key, and back with Shift. Throws an error if it is not among the next hundred. */
  async goTo(page: Page, target: Locator, { isBack = false } = {}): Promise<void> {
    this.step.person += THINK
    await this.see(target)
    if (isBack) {
      await page.keyboard.down('Shift')
      this.step.keys += 1
    }
    const hasFocus = () => target.first().evaluate((element) => element === document.activeElement)
    for (let n = 0; !(await hasFocus()); n++) {
      if (n === 100) throw new Error(`A hundred times Tab do not reach ${target}`)
      await this.press(page, 'Tab')
    }
    if (isBack) await page.keyboard.up('Shift')
  }

  /** Goes to a link or a button by the Tab key, and presses it. */
  async open(page: Page, target: Locator): Promise<void> {
    await this.goTo(page, target)
    await this.press(page, 'Enter')
  }

  /** Waits until something is shown. */
  async see(target: Locator): Promise<void> {
    await this.wait(() => target.first().waitFor())
  }
}

/** Takes the steps of a person, and prints a table of them with their total. A step that fails ends the program. */
export class Person {
  readonly #name: string
  readonly #steps: Step[] = []

  constructor(name: string) {
    this.#name = name
  }

  async does<Result>(title: string, act: (acts: Acts) => Promise<Result>): Promise<Result> {
    const acts = new Acts(title)
    const result = await act(acts)
    this.#steps.push(acts.step)
    return result
  }

  /** The sum of the steps. */
  total(): Step {
    const total = new Acts('total').step
    for (const step of this.#steps)
      for (const name of ['commands', 'clicks', 'keys', 'person', 'machine'] as const) total[name] += step[name]
    return total
  }

  print(): void {
    const row = ({ title, commands, clicks, keys, person, machine }: Step) =>
      `| ${title} | ${commands} | ${clicks} | ${keys} | ${person.toFixed(0)} | ${machine.toFixed(1)} |\n`
    process.stdout.write(
      `\n${this.#name}\n\n| step | commands | clicks | keys | person, s | machine, s |\n| --- | --- | --- | --- | --- | --- |\n` +
        [...this.#steps, this.total()].map(row).join(''),
    )
  }
}
