import { type Codes, labelOf, NO_CODES } from '../data/codes.ts'
import { useLater } from '../shared/later.ts'
import { usePage } from './context.tsx'

/** The label of a category or area when it is known; the code if the labels can't be read. */
export function CodeLabel({ of, code, dataset }: { of: keyof Codes; code: string; dataset: string }) {
  const { codesOf } = usePage()
  const codes = useLater(codesOf(dataset), NO_CODES)
  return <>{codes && labelOf(code, codes[of])}</>
}
