import type { State } from './world.ts'

/** A state of the database, and when it can have become current. Times are in milliseconds of `performance.now`. */
export interface Moment {
  number: number
  /** What made it. */
  label: string
  state: State
  /** Before the commit was sent. */
  begin: number
  /** After the commit returned. Infinity while it is under way. */
  end: number
}

/** A value of the history with the time in which it can have been current. */
export interface Span<Value> {
  value: Value
  from: number
  until: number
  /** The first moment with this value. */
  moment: Moment
}

/** A cached answer may be this old: the second that the gateway promises, and some time for clocks and a busy machine. */
export const FRESH_MS = 1_000 + 200

/** The wall clock, by which rights expire, counts whole milliseconds. */
const CLOCK_MS = 5

/** The states of the database, one after the other: the simulator's writers commit in turn. */
export class History {
  readonly #moments: Moment[] = []

  constructor(initial: State) {
    this.#moments.push({ number: 0, label: 'initial', state: initial, begin: -Infinity, end: -Infinity })
  }

  get current(): State {
    return this.last.state
  }

  get last(): Moment {
    const last = this.#moments.at(-1)
    if (!last) throw new RangeError('The history has no states')
    return last
  }

  get length(): number {
    return this.#moments.length
  }

  /** Notes a commit that begins. `end` or `withdraw` follows. */
  begin(state: State, label: string): Moment {
    const moment = { number: this.#moments.length, label, state, begin: performance.now(), end: Infinity }
    this.#moments.push(moment)
    return moment
  }

  /** Notes a state that comes by itself at a time, because something expires. No other state may come before. */
  expect(state: State, label: string, at: number): void {
    this.#moments.push({ number: this.#moments.length, label, state, begin: at - CLOCK_MS, end: at + CLOCK_MS })
  }

  /** Removes the last state: its transaction was rolled back. */
  withdraw(moment: Moment): void {
    if (this.last !== moment) throw new Error('Only the last commit can be withdrawn')
    this.#moments.pop()
  }

  /**
   * The values that can have been current between two times, the newest first. Equal values of consecutive states are one.
   * @param select takes the same object from states that have the same value
   */
  spans<Value>(from: number, to: number, select: (state: State) => Value): Span<Value>[] {
    const spans: Span<Value>[] = []
    for (let n = this.#moments.length - 1; n >= 0; n -= 1) {
      const moment = this.#moments[n]
      if (!moment || moment.begin > to) continue
      const until = this.#moments[n + 1]?.end ?? Infinity
      const value = select(moment.state)
      const later = spans.at(-1)
      if (later?.value === value) Object.assign(later, { from: moment.begin, moment })
      else if (until < from) break
      else spans.push({ value, from: moment.begin, until, moment })
    }
    return spans
  }
}
