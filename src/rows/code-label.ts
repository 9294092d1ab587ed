import { z } from 'zod'
import { indexedText, MAX_INDEXED_LENGTH, text } from './field-schemas.ts'
import type { SourceFile } from './formats/dialect.ts'

/** The fields of an item whose codes may have labels. */
export const LABELLED_FIELDS = ['administrativeAreaCode', 'categoryCode'] as const

/** A row of the table `code_labels`. */
export interface CodeLabel {
  field: (typeof LABELLED_FIELDS)[number]
  code: string
  label: string
}

/** The file of a field's labels, with the columns of the codes and the labels. */
export interface LabelFile extends SourceFile {
  field: CodeLabel['field']
  columns: { code: string; label: string }
}

/** The labels of a field: a list, or a file. */
export type LabelSource = LabelFile | (Pick<CodeLabel, 'field'> & { labels: readonly Omit<CodeLabel, 'field'>[] })

/** A code and its label. Labels have the maximum length of names. */
export const codeLabel = z.object({
  code: indexedText(MAX_INDEXED_LENGTH.code),
  label: text.refine((value) => value.length <= MAX_INDEXED_LENGTH.name, {
    error: `must be at most ${MAX_INDEXED_LENGTH.name} characters long`,
  }),
})
