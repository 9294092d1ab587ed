#!/usr/bin/env -S node --max-semi-space-size=32
// The command `catalog`. A checkout runs its sources, the installed package its bundle. Both are loaded only by a Node that can run them.
async function start() {
  // SQLite and the removal of types are experimental in Node 22.
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) => {
    if (name !== 'ExperimentalWarning') process.stderr.write(`catalog: ${name}: ${message}\n`)
  })
  globalThis.AsyncDisposableStack ??= DisposableStack
  const { existsSync } = await import('node:fs')
  const isCheckout = existsSync(new URL('../src/cli.ts', import.meta.url))
  await import(isCheckout ? '../src/cli.ts' : '../dist/cli.js')
}

/** The part of the standard class that the gateway uses, for Node 22. */
class DisposableStack {
  #opened = []

  defer(close) {
    this.#opened.push(close)
  }

  async disposeAsync() {
    const close = this.#opened.pop()
    if (close === undefined) return
    try {
      await close()
    } finally {
      await this.disposeAsync()
    }
  }
}

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 15)) {
  const advice = 'to get one for this folder only: npm install node@24'
  process.stderr.write(`catalog: Node 22.15 or newer is needed; this one is ${process.versions.node}; ${advice}\n`)
  process.exitCode = 1
} else start()
