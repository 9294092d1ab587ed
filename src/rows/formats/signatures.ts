import data from './other-formats.json' with { type: 'json' }

/** Returns what a file is that is not text, by its first bytes, and what to do with it; undefined for text. */
export function findSignature(start: Uint8Array, name: string): string | undefined {
  const found = data.byStart.find(({ starts }) => Buffer.from(start).toString('hex', 0, starts.length / 2) === starts)
  return found && fillNames(found.remedy, name, name.replace(/\.[^./]*(\.gz)?$/i, ''))
}

/** Returns how to get a file that can be read from one whose name is that of another format; undefined for an unknown one. */
export function findOtherWay(name: string): string | undefined {
  for (const { endings, remedy } of data.byEnding) {
    const base = name.replace(new RegExp(`\\.(${endings})$`, 'i'), '')
    if (base !== name) return fillNames(remedy, name, base)
  }
  return undefined
}

function fillNames(remedy: string, name: string, base: string): string {
  return remedy.replaceAll('{base}', () => base).replaceAll('{name}', () => name)
}
