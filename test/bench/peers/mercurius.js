import Fastify from 'fastify'
import mercurius from 'mercurius'
import pg from 'pg'

/*
 * Mercurius with its JIT over JSON that PostgreSQL writes: one statement for each request. It has no authentication, no access rule, no
 * limits and no total.
 *
 *   node mercurius.js URL PORT
 */

const [url, port] = process.argv.slice(2)
const pool = new pg.Pool({
  connectionString: url,
  max: Number(process.env.POOL_SIZE ?? 8),
  options: '-c jit=off -c timezone=UTC',
})

const schema = `
  type Query { dataset(id: ID!): Dataset }
  type Dataset { id: ID! name: String! items(page: Int = 1): ItemPage! }
  type ItemPage { nodes: [Item!]! }
  type Item {
    id: ID! name: String! description: String! categoryCode: String! latitude: String! longitude: String! createdAt: String!
    images: [Image!]! parent: Parent
  }
  type Image { id: ID! cdnUrl: String! altText: String! }
  type Parent { id: ID! name: String! }`

const FIELDS = `i.id, i.name, i.description, i.category_code AS "categoryCode", i.latitude::text, i.longitude::text,
  i.created_at AS "createdAt"`
const RELATIONS = `,
  (SELECT coalesce(json_agg(image), '[]') FROM (
     SELECT m.id, m.cdn_url AS "cdnUrl", m.alt_text AS "altText" FROM images m WHERE m.item_id = i.id ORDER BY m.sort_order, m.id
   ) AS image) AS images,
  (SELECT row_to_json(parent) FROM (SELECT p.id, p.name FROM items p WHERE p.id = i.parent_item_id) AS parent) AS parent`

const statement = (name, fields) => ({
  name,
  text: `SELECT d.id, d.name, json_build_object('nodes', (SELECT coalesce(json_agg(item), '[]') FROM (
           SELECT ${fields} FROM items i WHERE i.dataset_id = d.id ORDER BY i.name, i.id LIMIT 20 OFFSET $2
         ) AS item)) AS items
           FROM datasets d WHERE d.slug = $1`,
})
const PLAIN = statement('plain', FIELDS)
const RELATED = statement('related', FIELDS + RELATIONS)

const selects = (nodes, names) =>
  nodes.some(
    ({ name, selectionSet }) => names.includes(name.value) || (selectionSet && selects(selectionSet.selections, names)),
  )

const resolvers = {
  Query: {
    dataset: async (_query, { id }, _context, { fieldNodes, variableValues }) => {
      const form = selects(fieldNodes, ['images', 'parent']) ? RELATED : PLAIN
      const { rows } = await pool.query({ ...form, values: [id, ((variableValues.page ?? 1) - 1) * 20] })
      return rows[0]
    },
  },
}

const app = Fastify()
app.register(mercurius, { schema, resolvers, jit: 1, graphiql: false })
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: Number(port) })}\n`)
