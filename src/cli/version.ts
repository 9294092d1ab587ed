import { readFileSync } from 'node:fs'

const PACKAGE_FILE = new URL('../../package.json', import.meta.url)

/** Returns the version in package.json. */
export function readVersion(): string {
  const { version }: { version: string } = JSON.parse(readFileSync(PACKAGE_FILE, 'utf8'))
  return version
}
