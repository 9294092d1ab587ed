import { createServer } from 'node:http'
import { postgraphile } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { grafserv } from 'postgraphile/grafserv/node'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'

/*
 * PostGraphile with the settings that its manual recommends for production, on the same database, without authentication.
 *
 *   node postgraphile.js URL PORT
 */

const [url, port] = process.argv.slice(2)
const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [
    makePgService({
      connectionString: url,
      schemas: ['public'],
      poolConfig: { max: Number(process.env.POOL_SIZE ?? 8) },
    }),
  ],
  grafserv: { graphiql: false, watch: false },
  grafast: { explain: false },
})
const server = createServer()
await instance.createServ(grafserv).addTo(server)
server.listen(Number(port), '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`))
