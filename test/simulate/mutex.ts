/** Runs tasks one after the other. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve()

  run<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(task)
    // Who called `run` gets the error.
    this.#last = result.catch(() => {})
    return result
  }
}
