interface WatchOptions {
  role: 'primary' | 'replica'
  /** The host and the port. */
  address: string
  /** Called with one line when the server is lost, and with one when it is back. */
  report: (line: string) => void
  /** A server is lost if it has not been usable for this long. */
  patienceMs: number
  nowMs?: () => number
}

/** Knows whether a server of the database is usable, and reports when that changes. */
export class ServerWatch {
  readonly address: string
  readonly #options: WatchOptions
  readonly #nowMs: () => number
  /** When the server was last usable; at first, when it was first found not to be. */
  #lastMs: number | undefined
  #state: 'unknown' | 'usable' | 'lost' = 'unknown'

  constructor(options: WatchOptions) {
    this.address = options.address
    this.#options = options
    this.#nowMs = options.nowMs ?? (() => performance.now())
  }

  get isUsable(): boolean {
    return this.#state === 'usable'
  }

  /** The server is usable now. */
  found(): void {
    if (this.#state === 'lost') this.#report(`is back after ${this.#seconds()} seconds`)
    this.#state = 'usable'
    this.#lastMs = this.#nowMs()
  }

  /** The server is not usable now, for this reason. */
  missed(reason: string): void {
    this.#lastMs ??= this.#nowMs()
    if (this.#state === 'lost' || this.#nowMs() - this.#lastMs < this.#options.patienceMs) return
    this.#state = 'lost'
    this.#report(`is ${this.#options.role === 'primary' ? 'away' : 'not used'}: ${reason}`)
  }

  #report(what: string): void {
    const { role, address, report } = this.#options
    report(`The ${role} ${address} ${what}`)
  }

  #seconds(): number {
    return Math.round((this.#nowMs() - (this.#lastMs ?? this.#nowMs())) / 1000)
  }
}
