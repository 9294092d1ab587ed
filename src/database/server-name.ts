import type { ClientBase } from 'pg'

/*
 * An address can move to another server while the old connections live on: a failover that does not end the old primary. So the
 * change feed and the connections of the pool know their server by name, and use the same one.
 */

/** Selects the name of a server: no other server, and no earlier start of this one, has the same. */
const SERVER_NAME = 'SELECT pg_postmaster_start_time()::text AS server'

/** The heartbeat of the change feed for a server. Its answer changes if a proxy moves the connection to another session. */
export const SERVER_HEARTBEAT = `${SERVER_NAME}, pg_backend_pid() AS session`

/** Returns the name of the server to which a client is connected. */
export async function readServerName(client: ClientBase): Promise<string | undefined> {
  return (await client.query<{ server: string }>(SERVER_NAME)).rows[0]?.server
}
