import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'
import { build } from 'pino-pretty'
import type { LogLevel } from '../../config/config.ts'

/** Lines wait at most this long, so that one write has many of them. A write takes as long as a cached response. */
const FLUSH_MS = 250
const BUFFER_BYTES = 8 * 1024

/**
 * Opens the log on stderr: lines of JSON, or readable lines on a terminal.
 * @param level is `info` on a terminal and `warn` elsewhere by default, because a line for each request costs 10 % of the throughput
 * @param pid of a process that is one of several, for its lines
 * @param send is called with each line too
 * @returns the log, and a function that writes the waiting lines
 */
export function openLog(
  level: LogLevel | undefined,
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
      ignore: pid === undefined ? 'pid,hostname' : 'hostname',
      translateTime: 'SYS:HH:MM:ss.l',
      singleLine: true,
    })
    return { log: pino({ level: level ?? 'info' }, withSend(stream)), flush: () => {} }
  }
  const stream = pino.destination({ dest: 2, sync: false, minLength: BUFFER_BYTES, periodicFlush: FLUSH_MS })
  const format = {
    base: pid === undefined ? null : { pid },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: levelName },
  }
  const log = pino({ level: level ?? 'warn', ...format }, withSend(stream))
  return { log, flush: () => stream.flushSync() }
}

function levelName(level: string): { level: string } {
  return { level }
}
