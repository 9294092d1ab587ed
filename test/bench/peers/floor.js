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

const COLUMNS = `i.id, i.dataset_id AS "datasetId", i.name, i.description,
  i.administrative_area_code AS "administrativeAreaCode", i.category_code AS "categoryCode",
  i.parent_item_id AS "parentItemId", i.street_address AS "streetAddress", i.address_region AS "addressRegion",
  i.address_locality AS "addressLocality", i.postal_code AS "postalCode", i.road_address AS "roadAddress",
  i.jibun_address AS "jibunAddress", i.latitude, i.longitude, i.thumbnail_url AS "thumbnailUrl",
  i.created_at AS "createdAt", i.updated_at AS "updatedAt"`

const LIST = {
  name: 'list',
  text: `SELECT ${COLUMNS}, (SELECT n FROM item_counts c WHERE c.dataset_id = d.id AND c.list = 'all') AS total
           FROM datasets d
           JOIN LATERAL (SELECT * FROM items WHERE dataset_id = d.id ORDER BY name, id LIMIT 20) AS i ON true
          WHERE d.slug = $1`,
}

const ITEM = {
  name: 'item',
  text: `SELECT ${COLUMNS}, i.contact_name AS "contactName", i.telephone, i.email, i.url, i.opening_hours AS "openingHours",
                i.extra_attributes AS "extraAttributes", json_build_object('slug', d.slug, 'name', d.name) AS dataset,
                (SELECT coalesce(json_agg(image), '[]') FROM (
                  SELECT m.id, m.original_url AS "originalUrl", m.cdn_url AS "cdnUrl",
                         m.thumbnail_small_url AS "thumbnailSmallUrl", m.thumbnail_medium_url AS "thumbnailMediumUrl",
                         m.thumbnail_large_url AS "thumbnailLargeUrl", m.alt_text AS "altText",
                         m.sort_order AS "sortOrder", m.is_primary AS "isPrimary"
                    FROM images m WHERE m.item_id = i.id ORDER BY m.sort_order, m.id
                ) AS image) AS images
           FROM items i JOIN datasets d ON d.id = i.dataset_id
          WHERE i.id = $1`,
}

const POINT = 'ST_SetSRID(ST_MakePoint($2, $1), 4326)::geography'
const NEARBY = {
  name: 'nearby',
  text: `SELECT ${COLUMNS}, ST_Distance(i.location, ${POINT}) AS distance,
                (SELECT count(*) FROM items WHERE ST_DWithin(location, ${POINT}, $3)) AS total
           FROM items i WHERE ST_DWithin(i.location, ${POINT}, $3)
          ORDER BY distance, i.id LIMIT 20`,
}

const listBody = (rows) => {
  const total = Number(rows[0]?.total ?? 0)
  return { data: rows.map(({ total, ...row }) => row), meta: { page: 1, limit: 20, total } }
}

const ROUTES = {
  '/': { statement: LIST, parameters: ['dataset'], toBody: listBody },
  '/item': { statement: ITEM, parameters: ['id'], toBody: ([data]) => ({ data, meta: {} }) },
  '/nearby': { statement: NEARBY, parameters: ['latitude', 'longitude', 'radius'], toBody: listBody },
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
