import { size as sizeOf } from '../../shared/format.ts'
import { fill } from '../../shared/say.ts'
import { t } from '../../shared/text.ts'
import type { ExportSize } from '../about/request.ts'

/** For example ` (12 kB)` or ` (about 1.4 MB)`. */
export function sizeText(size: ExportSize | undefined): string {
  if (!size) return ''
  const amount = sizeOf(size.bytes)
  return ` (${size.isExact ? amount : fill(t.aboutSize, { size: amount })})`
}
