import { type SqlSession, type SqlText, sql } from '../../sql.ts'
import { completePictures, type GivenPictures } from '../row/images.ts'
import { picturesJson } from './staging.ts'

const BATCH_ROWS = 500

/**
 * Derives the ids of images again in the rows whose item has another id than the one that they were derived from. The images keep
 * their ids as long as the item keeps its id, whether a row names the item by `id` or by `externalId`.
 */
export async function renumberImages(session: SqlSession, table: SqlText): Promise<void> {
  let last = 0
  for (;;) {
    const { rows } = await session.query<{ n: number; id: string; given: GivenPictures }>(
      sql`SELECT n, id, given FROM ${table} WHERE is_renumbered AND given IS NOT NULL AND n > $1 ORDER BY n LIMIT $2`,
      [last, BATCH_ROWS],
    )
    if (rows.length === 0) return
    last = rows.at(-1)?.n ?? last
    const changed = rows.map(({ n, id, given }) => ({ n, ...picturesJson(completePictures(id, given)) }))
    await session.query(
      sql`UPDATE ${table} AS s SET images = changed.images, thumbnail_url = changed.thumbnail_url
         FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb) AS changed WHERE s.n = changed.n`,
      [JSON.stringify(changed)],
    )
  }
}
