import type { CodeLabel } from '../generated/prisma/client.ts'

/** Labels as a manifest has them: by the field, then by the code. */
export function labelsByField(
  labels: readonly Pick<CodeLabel, 'field' | 'code' | 'label'>[],
): Record<string, Record<string, string>> {
  const byField = Map.groupBy(labels, ({ field }) => field)
  return Object.fromEntries(
    [...byField].map(([field, list]) => [field, Object.fromEntries(list.map(({ code, label }) => [code, label]))]),
  )
}
