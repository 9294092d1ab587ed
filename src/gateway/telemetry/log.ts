import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'
import { build } from 'pino-pretty'
import type { LogLevel } from '../../config/config.ts'

/** Lines wait at most this long, so that one write has many of them. A write takes as long as a cached response. */
const FLUSH_MS = 250
const BUFFER_BYTES = 8 * 1024

/** The fields of a line about a request (request-telemetry.ts). On a terminal, its text has those that a person needs. */
const REQUEST_FIELDS = ['method', 'route', 'status', 'durationMs', 'keyId', 'key', 'dataset', 'items']

/**
 * Opens the log on stderr: lines of JSON, or readable lines on a terminal.
 * @param level is `warn` by default, because a line for each request costs 10 % of the throughput, and hides a new key on a terminal
 * @param pid of a process that is one of several, for its lines
 * @param send is called with each line too
 * @returns the log, and a function that writes the waiting lines
 */
export function openLog(
  level: LogLevel = 'warn',
  pid?: number,
  send?: (line: string) => void,
): { log: Logger; flush: () => void } {
  const withSend = (stream: DestinationStream): DestinationStream => {
    if (!send) return stream
    return {
      write: (line) => {
        stream.write(line)
        send(line)
      },
    }
  }
  if (process.stderr.isTTY) {
    const stream = build({
      destination: 2,
      sync: true,
      ignore: ['hostname', pid === undefined ? 'pid' : [], REQUEST_FIELDS].flat().join(','),
      messageFormat: ({ msg, method, route, status, durationMs }) =>
        route === undefined ? String(msg) : `${method} ${route} ${status} in ${durationMs} ms`,
      translateTime: 'SYS:HH:MM:ss.l',
      singleLine: true,
    })
    return { log: pino({ level }, withSend(stream)), flush: () => {} }
  }
  const stream = pino.destination({ dest: 2, sync: false, minLength: BUFFER_BYTES, periodicFlush: FLUSH_MS })
  const format = {
    base: pid === undefined ? null : { pid },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: levelName },
  }
  const log = pino({ level, ...format }, withSend(stream))
  return { log, flush: () => stream.flushSync() }
}

function levelName(level: string): { level: string } {
  return { level }
}
