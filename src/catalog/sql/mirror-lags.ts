import type { SqlReader } from '../../database/sql-reader.ts'

/** The copies of datasets of other catalogs, and the seconds since each was last known to be complete. */
export function readMirrorLags(reader: SqlReader): Promise<{ dataset: string; seconds: number }[]> {
  return reader.$queryRaw`
    SELECT d.slug AS dataset, extract(epoch FROM clock_timestamp() - m.complete_at)::float8 AS seconds
      FROM mirrors AS m JOIN datasets AS d ON d.id = m.dataset_id`
}
