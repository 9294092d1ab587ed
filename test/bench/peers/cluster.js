import cluster from 'node:cluster'

/*
 * Runs a peer with several processes under node:cluster, which share one port and 8 connections to PostgreSQL.
 *
 *   node cluster.js WORKERS floor|postgraphile URL PORT
 */

const [workers, peer, url, port] = process.argv.slice(2)
if (cluster.isPrimary) {
  const env = { POOL_SIZE: String(Math.max(1, Math.floor(8 / Number(workers)))) }
  for (let n = 0; n < Number(workers); n += 1) cluster.fork(env)
} else {
  process.argv.splice(2, 4, url, port)
  await import(`./${peer}.js`)
}
