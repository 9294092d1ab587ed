import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/*
 * Profiles another process by the protocol of Node's inspector (https://chromedevtools.github.io/devtools-protocol/v8/).
 */

/** A function in a profile, and the part of the whole that it takes itself: time or bytes. */
export interface Sample {
  functionName: string
  /** The URL of its script; empty for V8's own names, such as `(garbage collector)`. */
  url: string
  value: number
}

/** Profiles one process. */
export interface Profiler {
  /** The microseconds of each function while `run` runs, without the idle time. */
  time: (run: () => Promise<unknown>) => Promise<Sample[]>
  /** The bytes that each function allocates while `run` runs, also those that are garbage afterwards. */
  bytes: (run: () => Promise<unknown>) => Promise<Sample[]>
  close: () => void
}

/** A free port for the inspector of a process, and the environment in which the process opens it. */
export async function inspectorPort(): Promise<{ port: number; env: { NODE_OPTIONS: string } }> {
  const port = await new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
  return { port, env: { NODE_OPTIONS: `--inspect=127.0.0.1:${port}` } }
}

/** Attaches to the process whose inspector listens on the port. */
export async function attachProfiler(port: number): Promise<Profiler> {
  const send = await connect(port)
  return {
    time: async (run) => {
      await send('Profiler.enable')
      await send('Profiler.setSamplingInterval', { interval: 200 })
      await send('Profiler.start')
      await run()
      const { profile } = await send<{ profile: CpuProfile }>('Profiler.stop')
      return timesOf(profile)
    },
    bytes: async (run) => {
      await send('HeapProfiler.startSampling', {
        samplingInterval: 16_384,
        includeObjectsCollectedByMajorGC: true,
        includeObjectsCollectedByMinorGC: true,
      })
      await run()
      const { profile } = await send<{ profile: { head: AllocationNode } }>('HeapProfiler.stopSampling')
      return bytesOf(profile.head)
    },
    close: () => send.close(),
  }
}

interface CallFrame {
  functionName: string
  url: string
}

interface CpuProfile {
  nodes: { id: number; callFrame: CallFrame }[]
  samples: number[]
  timeDeltas: number[]
}

function timesOf({ nodes, samples, timeDeltas }: CpuProfile): Sample[] {
  const times = new Map<number, number>()
  for (const [n, id] of samples.entries()) times.set(id, (times.get(id) ?? 0) + (timeDeltas[n] ?? 0))
  return nodes
    .filter(({ callFrame }) => callFrame.functionName !== '(idle)')
    .map(({ id, callFrame: { functionName, url } }) => ({ functionName, url, value: times.get(id) ?? 0 }))
}

interface AllocationNode {
  callFrame: CallFrame
  selfSize: number
  children: AllocationNode[]
}

function bytesOf({ callFrame: { functionName, url }, selfSize, children }: AllocationNode): Sample[] {
  return [{ functionName, url, value: selfSize }, ...children.flatMap(bytesOf)]
}

interface Send {
  <Result>(method: string, params?: object): Promise<Result>
  close: () => void
}

async function connect(port: number): Promise<Send> {
  let url: string | undefined
  while (url === undefined) {
    const response = await fetch(`http://127.0.0.1:${port}/json/list`).catch(() => undefined)
    const targets: { webSocketDebuggerUrl: string }[] = response ? await response.json() : []
    url = targets[0]?.webSocketDebuggerUrl
    if (url === undefined) await sleep(50)
  }
  const socket = new WebSocket(url)
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }))
  const waiting = new Map<number, (result: unknown) => void>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data))
    waiting.get(id)?.(result)
    waiting.delete(id)
  })
  let last = 0
  const send = <Result>(method: string, params = {}) =>
    new Promise<Result>((resolve) => {
      last += 1
      // The protocol says which method returns what.
      waiting.set(last, (result) => resolve(result as Result))
      socket.send(JSON.stringify({ id: last, method, params }))
    })
  return Object.assign(send, { close: () => socket.close() })
}
