/** What a file is that is not text, by its first bytes, and what to do with it. */
const SIGNATURES: readonly { starts: Buffer; is: string; remedy: (base: string, name: string) => string }[] = [
  {
    starts: Buffer.from('PK\x03\x04', 'latin1'),
    is: 'a ZIP archive or a spreadsheet',
    remedy: (base) => `if it is a spreadsheet, name it ${base}.xlsx; otherwise unpack it`,
  },
  {
    starts: Buffer.from('d0cf11e0', 'hex'),
    is: 'an old Excel file (.xls)',
    remedy: (base) => `open it and save it as ${base}.xlsx`,
  },
  { starts: Buffer.from('1f8b', 'hex'), is: 'packed with gzip', remedy: (_, name) => `name it ${name}.gz` },
  {
    starts: Buffer.from('SQLite format 3\0'),
    is: 'an SQLite database',
    remedy: (base) => `if it is a GeoPackage, name it ${base}.gpkg`,
  },
  {
    starts: Buffer.from('0000270a', 'hex'),
    is: 'a shapefile',
    remedy: (base) => `name it ${base}.shp`,
  },
  { starts: Buffer.from('%PDF'), is: 'a PDF', remedy: () => 'get the data as CSV, a spreadsheet or GeoJSON' },
]

/**
 * Returns a sentence about a file that is not text, or undefined.
 * @param start has the first bytes of the file
 */
export function findSignature(start: Uint8Array, fileName: string): string | undefined {
  const found = SIGNATURES.find(({ starts }) => starts.equals(start.subarray(0, starts.length)))
  return found && `is ${found.is}; ${found.remedy(fileName.replace(/\.[^./]*(\.gz)?$/i, ''), fileName)}`
}
