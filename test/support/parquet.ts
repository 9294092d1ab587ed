import { type FileMetaData, parquetMetadata, parquetReadObjects } from 'hyparquet'

/** The rows of a Parquet file. With neither of the options, a column without a type is bytes. */
export async function rowsOf(response: Response, options: { geoparquet?: boolean; utf8?: boolean } = {}) {
  return parquetReadObjects({ file: await response.arrayBuffer(), ...options })
}

/** The metadata of a Parquet file. */
export async function metadataOf(response: Response): Promise<FileMetaData> {
  return parquetMetadata(await response.arrayBuffer(), { geoparquet: false })
}
