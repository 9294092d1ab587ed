/** Stands in until the page is there. */
export function renderGraphiQL(): string {
  return '<!doctype html><title>GraphiQL</title>'
}
