import { Session } from 'node:inspector'
import { isMainThread } from 'node:worker_threads'

/**
 * Evaluates an expression in a thread of this process, while WebAssembly keeps this thread busy too: the inspector interrupts it, and
 * the thread goes on afterwards. No message of `node:worker_threads` would arrive before the thread is idle. Other debuggers may be
 * connected at the same time.
 * https://chromedevtools.github.io/devtools-protocol/v8/Runtime/, https://nodejs.org/api/inspector.html
 */
export function evaluateIn(threadId: number, expression: string): void {
  const session = new Session()
  if (isMainThread) session.connect()
  else session.connectToMainThread()
  let isFound = false
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
    // `workerId` is another number.
    if (!workerInfo.title.startsWith(`[worker ${threadId}]`)) return
    isFound = true
    const message = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } })
    session.post('NodeWorker.sendMessageToWorker', { sessionId, message })
  })
  // The answer to this message.
  session.on('NodeWorker.receivedMessageFromWorker', () => session.disconnect())
  // It names all threads before it answers. A thread that has ended is not among them.
  session.post('NodeWorker.enable', { waitForDebuggerOnStart: false }, () => {
    if (!isFound) session.disconnect()
  })
}
