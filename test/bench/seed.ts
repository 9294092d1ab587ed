import type { ClientBase } from 'pg'

/** Half of the points of each dataset lie in this city, normally distributed, and half anywhere on the sphere. */
export const CITY = { latitude: 37.5665, longitude: 126.978, spreadDegrees: 0.05 } as const

export interface SeedOptions {
  slug: string
  items: number
  /** Whether each item has two images, and each group of twenty items has its first item as parent. */
  related: boolean
  /** Whether the texts are Korean: three bytes for most characters. */
  isKorean?: boolean
}

const BATCH = 100_000

/** Adds made-up places to a public dataset until it has `items` items. The nth place is the same in every run. */
export async function seed(
  session: ClientBase,
  { slug, items, related, isKorean = false }: SeedOptions,
): Promise<void> {
  await session.query(
    `INSERT INTO datasets (id, slug, name, description, status, visibility, attribution, created_at, updated_at)
     VALUES (md5($1)::uuid, $1, initcap($1), 'Made up', 'active', 'public', 'Nobody', now(), now())
     ON CONFLICT DO NOTHING`,
    [slug],
  )
  const { rows } = await session.query<{ n: number }>(
    'SELECT count(*)::integer AS n FROM items WHERE dataset_id = md5($1)::uuid',
    [slug],
  )
  for (let from = (rows[0]?.n ?? 0) + 1; from <= items; from += BATCH) {
    await session.query(ITEMS, [
      slug,
      from,
      Math.min(from + BATCH - 1, items),
      related,
      CITY.latitude,
      CITY.longitude,
      CITY.spreadDegrees,
      isKorean,
    ])
    if (related) await session.query(IMAGES, [slug, from, Math.min(from + BATCH - 1, items)])
  }
  await session.query('VACUUM (ANALYZE)')
}

/** SQL for a pseudo-random number between 0 and 1 that depends only on `n` and the salt. */
const unit = (salt: string) => `(((hashint8(n # hashtext('${salt}')) & 1048575) + 0.5) / 1048576)`

const ITEMS = `
  INSERT INTO items (id, dataset_id, name, description, administrative_area_code, category_code, parent_item_id,
                     street_address, latitude, longitude, created_at, updated_at)
  SELECT md5($1 || n)::uuid, md5($1)::uuid, CASE WHEN $8 THEN '국립중앙박물관 ' ELSE 'Place ' END || md5(n::text),
         CASE WHEN $8 THEN repeat('아무도 가 본 적이 없는 곳. ', 8) ELSE 'A place that nobody has been to' END, 'a' || n % 50,
         'c' || n % 20, CASE WHEN $4 AND n % 20 <> 1 THEN md5($1 || (n - (n + 19) % 20))::uuid END, n || CASE WHEN $8 THEN ' 서울특별시 종로구 세종대로' ELSE ' Long Street' END,
         latitude, mod((longitude + 540)::numeric, 360) - 180,
         '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 second', '2026-02-01T00:00:00Z'::timestamptz + n * interval '1 second'
    FROM generate_series($2::bigint, $3::bigint) AS n
   CROSS JOIN LATERAL (SELECT ${unit('a')} AS a, ${unit('b')} AS b) AS random
   CROSS JOIN LATERAL (
          SELECT CASE WHEN n % 2 = 0 THEN $5 + $7 * sqrt(-2 * ln(a)) * cos(2 * pi() * b) ELSE degrees(asin(2 * a - 1)) END AS latitude,
                 CASE WHEN n % 2 = 0 THEN $6 + $7 * sqrt(-2 * ln(a)) * sin(2 * pi() * b) ELSE 360 * b - 180 END AS longitude
        ) AS place`

const IMAGES = `
  INSERT INTO images (id, item_id, original_url, cdn_url, thumbnail_small_url, thumbnail_medium_url,
                      thumbnail_large_url, alt_text, sort_order, is_primary)
  SELECT md5($1 || n || 'image' || k)::uuid, md5($1 || n)::uuid, url || 'original', url || 'cdn', url || 'small', url || 'medium',
         url || 'large', 'A picture', k, k = 0
    FROM generate_series($2::bigint, $3::bigint) AS n
   CROSS JOIN generate_series(0, 1) AS k
   CROSS JOIN LATERAL (SELECT 'https://images.example.org/' || n || '/' || k || '/' AS url) AS image`
