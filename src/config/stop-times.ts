/*
 * The times of a stop, after SHUTDOWN_DELAY_MS. Each includes the one before. The files of docs/deployment/ and compose.yaml give the process
 * longer before it is killed (test/server/deployment.isolated.test.ts).
 */

/** The connections of requests that take longer are closed. */
export const REQUESTS_END_MS = 10_000

/** Then the use of keys is written and the database is closed. A worker that takes longer is killed. */
export const WORKER_ENDS_MS = REQUESTS_END_MS + 5_000

/** The process that gets the signal exits, also if a server does not answer. */
export const PROCESS_ENDS_MS = WORKER_ENDS_MS + 5_000
