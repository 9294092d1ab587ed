/*
 * A library of WebAssembly exports every symbol of its sources, PostGIS 23,265 of them. At each start PGlite goes through all of them
 * several times, and lists them whenever PostgreSQL looks up a function. Nobody needs half of the names.
 */

/** The numbers of the sections with the exports, and of one without meaning. https://webassembly.github.io/spec/core/binary/modules.html */
const [EXPORTS, CUSTOM] = [7, 0]

/** The size of what is before the first section: four letters and a version. */
const PREAMBLE = 8

/** The size of a number that this module writes. Others may be shorter. */
const NUMBER = 5

/** What the linker looks up, and what PostgreSQL does: the library's version, and a description of each SQL function. */
const LOOKED_UP = /^(__wasm_|_PG_|Pg_magic_|pg_finfo_)/

/** Returns a library without the exports that neither itself nor the linker nor PostgreSQL looks up. Its size is the same. */
export async function removeUnusedExports(library: Buffer): Promise<Buffer> {
  const module = await WebAssembly.compile(Uint8Array.from(library))
  const names = new Set(WebAssembly.Module.exports(module).map(({ name }) => name))
  const imported = new Set(WebAssembly.Module.imports(module).map(({ name }) => name))
  const isUsed = (name: string) => imported.has(name) || LOOKED_UP.test(name) || names.has(`pg_finfo_${name}`)
  const { start, content, end } = findSection(library, EXPORTS)
  const used: Buffer[] = []
  let [count, at] = readNumber(library, content)
  for (; count > 0; count -= 1) {
    const [length, name] = readNumber(library, at)
    // One byte for the kind.
    const [, next] = readNumber(library, name + length + 1)
    if (isUsed(library.toString('utf8', name, name + length))) used.push(library.subarray(at, next))
    at = next
  }
  const exported = writeSection(EXPORTS, Buffer.concat([writeNumber(used.length), ...used]))
  const filler = writeSection(CUSTOM, Buffer.alloc(end - start - exported.length - NUMBER - 1))
  return Buffer.concat([library.subarray(0, start), exported, filler, library.subarray(end)])
}

function findSection(module: Buffer, id: number) {
  for (let start = PREAMBLE; start < module.length; ) {
    const [size, content] = readNumber(module, start + 1)
    if (module[start] === id) return { start, content, end: content + size }
    start = content + size
  }
  throw new Error(`The library has no section ${id}`)
}

function writeSection(id: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.of(id), writeNumber(content.length), content])
}

/** Reads a number in LEB128, seven bits in a byte. Returns where the next byte is, too. */
function readNumber(bytes: Buffer, start: number): [value: number, next: number] {
  let value = 0
  for (let at = start, factor = 1; ; at += 1, factor *= 128) {
    const byte = bytes.readUInt8(at)
    value += (byte % 128) * factor
    if (byte < 128) return [value, at + 1]
  }
}

function writeNumber(value: number): Buffer {
  const digits = Array.from({ length: NUMBER }, (_, n) => Math.floor(value / 128 ** n) % 128)
  return Buffer.from(digits.map((digit, n) => (n < NUMBER - 1 ? digit + 128 : digit)))
}
