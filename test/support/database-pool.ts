import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { DatabaseConfig } from '../../src/config/config.ts'
import { messageOf } from '../../src/errors/errors.ts'

/*
 * The databases stay open between test files. A file connects to the socket of this pool, which is in Vitest's main process, to get a
 * database, and gives it back by closing the connection. So a file that ends in any way gives its database back.
 */

/** What a test file gets: how to reach the database, and what is in it before any test. */
export interface Lease {
  config: DatabaseConfig
  /** The settings with which another process uses the database. */
  env: Record<string, string>
  /** A line for each table, trigger, setting and so on (`listObjects`). */
  objects: string[]
}

/** A database of the pool. */
export interface PooledDatabase {
  lease: Lease
  /** Removes all rows. Returns whether the database is like a new one then. */
  reset: () => Promise<boolean>
  close: () => Promise<void>
}

/**
 * Serves databases on a Unix socket in `folder`.
 * @param create opens a new, migrated and empty database. It is called if all databases are in use
 * @param maxFree at most this many databases stay open without a test file that uses them
 */
export async function servePool(folder: string, create: () => Promise<PooledDatabase>, maxFree: number) {
  const path = join(folder, 'pool.sock')
  // The first one opens while Vitest starts its workers. A file that asks for a database during a reset waits for its end.
  const free: Promise<PooledDatabase>[] = [create()]
  const inUse = new Set<Promise<void>>()

  /** A file that changed more than rows has failed. The next one gets a new database. */
  const renew = async (database: PooledDatabase) => {
    const isLikeNew = await database.reset().catch((error: unknown) => {
      process.stderr.write(`A test database is replaced, because it can't be reset: ${messageOf(error)}\n`)
      return false
    })
    if (isLikeNew) return database
    await database.close()
    return create()
  }
  const serve = async (socket: Socket) => {
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    const database = await (free.shift() ?? create())
    socket.write(JSON.stringify(database.lease))
    socket.end()
    await closed
    if (free.length >= maxFree) await database.close()
    else free.push(renew(database))
  }
  // The client half-closes the connection when it has the lease; its end, in any way, closes it.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    socket.resume().on('end', () => socket.destroy())
    const served = serve(socket).finally(() => inUse.delete(served))
    inUse.add(served)
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  return {
    path,
    close: async () => {
      server.close()
      await Promise.all(inUse)
      for (const database of await Promise.all(free)) await database.close()
    },
  }
}
