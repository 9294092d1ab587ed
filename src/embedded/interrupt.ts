import { Session } from 'node:inspector'

/**
 * Evaluates an expression in another thread of this process, even while WebAssembly keeps that thread busy. Node's inspector interrupts
 * the thread, which goes on afterwards. A message of `node:worker_threads` would arrive only when the thread is idle. Other debuggers
 * may be connected at the same time. It is for workers: Node 24 ends with SIGSEGV if the main thread does this while a worker has workers.
 * https://chromedevtools.github.io/devtools-protocol/v8/Runtime/, https://nodejs.org/api/inspector.html
 * @returns a promise that resolves when the thread has answered or ended
 */
export function evaluateIn(threadId: number, expression: string): Promise<void> {
  return new Promise((resolve) => {
    const session = new Session()
    session.connectToMainThread()
    const end = () => {
      session.disconnect()
      resolve()
    }
    let isFound = false
    session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
      // Only the title has the thread id: `workerId` is a number of the inspector.
      if (!workerInfo.title.startsWith(`[worker ${threadId}]`)) return
      isFound = true
      const message = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } })
      session.post('NodeWorker.sendMessageToWorker', { sessionId, message })
      session.on('NodeWorker.detachedFromWorker', ({ params }) => params.sessionId === sessionId && end())
    })
    session.on('NodeWorker.receivedMessageFromWorker', end)
    // The inspector names all threads before it calls back. A thread that has ended is not among them.
    session.post('NodeWorker.enable', { waitForDebuggerOnStart: false }, () => {
      if (!isFound) end()
    })
  })
}
