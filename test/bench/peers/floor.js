import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import pg from 'pg'

/*
 * A minimal server by hand: node:http and pg, one statement for each request, rows and JSON.stringify. It has no authentication,
 * no access rule, no validation and no limits. It serves a dataset's items with their stored total, an item with its dataset and
 * images, and nearby searches by plain PostGIS. `/constant?bytes=N` answers without a database: what node:http itself can do.
 *
 *   node floor.js URL PORT
 */

const [url, port] = process.argv.slice(2)
const pool = new pg.Pool({
  connectionString: url,
  max: Number(process.env.POOL_SIZE ?? 8),
  options: '-c jit=off -c timezone=UTC',
})

/** The statement of a file beside this one. */
const statement = (name) => ({ name, text: read(name).replace('COLUMNS', read('columns')) })
const read = (name) => readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8')

const listBody = (rows) => {
  const total = Number(rows[0]?.total ?? 0)
  return { data: rows.map(({ total, ...row }) => row), meta: { page: 1, limit: 20, total } }
}

const ROUTES = {
  '/': { statement: statement('list'), parameters: ['dataset'], toBody: listBody },
  '/item': { statement: statement('item'), parameters: ['id'], toBody: ([data]) => ({ data, meta: {} }) },
  '/nearby': { statement: statement('nearby'), parameters: ['latitude', 'longitude', 'radius'], toBody: listBody },
}

const send = (response, body) =>
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body)

let constant = Buffer.alloc(0)
const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  if (pathname === '/constant') {
    const bytes = Number(searchParams.get('bytes'))
    if (constant.length !== bytes) constant = Buffer.alloc(bytes, 'x')
    return send(response, constant)
  }
  const { statement, parameters, toBody } = ROUTES[pathname]
  const { rows } = await pool.query({ ...statement, values: parameters.map((name) => searchParams.get(name)) })
  send(response, JSON.stringify(toBody(rows)))
})
server.listen(Number(port), '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`))
