import { globSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { expect } from 'vitest'
import { runProcess } from '../support/process.ts'
import { type Answers, answersFile, ask } from './answers.ts'

/*
 * Each folder here is from a release: a data folder of the embedded database, a dump of PostgreSQL, and the answers that the release gave
 * to clients and operators (write.ts). The first is from the schema of 1.0.
 */

/** The names of the releases. */
export const RELEASES = globSync('*/data.tar.br', { cwd: import.meta.dirname }).map((path) => dirname(path))

/** The settings of a gateway that opens what a release wrote. */
export const SETTINGS = { SAMPLE_DATA: 'false', UNDO_DAYS: '36500' }

/** A database as a release left it. */
export interface Released {
  env: Record<string, string>
  expected: Answers
  drop: () => Promise<void>
}

/** Returns the content of a file of a release. */
export async function readReleased(release: string, file: string): Promise<Buffer> {
  return brotliDecompressSync(await readFile(join(import.meta.dirname, release, file)))
}

/** Returns what a release answered, on a `kind` of database. */
export async function readAnswers(release: string, kind: 'embedded' | 'postgres'): Promise<Answers> {
  return answersFile.parse(JSON.parse((await readReleased(release, `${kind}.json.br`)).toString()))
}

/** Unpacks the data folder of a release into a folder that exists. */
export async function openReleasedFolder(release: string, folder: string): Promise<Released> {
  await writeFile(`${folder}.tar`, await readReleased(release, 'data.tar.br'))
  await runProcess('tar', ['-C', folder, '-xf', `${folder}.tar`], process.env)
  const drop = () => rm(folder, { recursive: true })
  return { env: { DATA_DIR: folder, ...SETTINGS }, expected: await readAnswers(release, 'embedded'), drop }
}

/** Links to other forms of a document may be added. */
const withoutForms = <Answer extends { body: string }>(answer: Answer) => ({
  ...answer,
  body: answer.body.replaceAll(/,\{"href":"[^"]*","rel":"alternate"[^}]*\}/g, ''),
})

/** Expects that a gateway gives the answers of the release: status, bytes, and entity tag but for these paths. */
export async function expectAnswers(url: string, { keys, answers }: Answers, newTags = ''): Promise<void> {
  for (const answer of answers) {
    const { etag, ...others } = await ask(url, keys, answer)
    const hasNewTag = newTags !== '' && answer.path.startsWith(newTags)
    expect(withoutForms({ ...others, etag: hasNewTag ? answer.etag : etag })).toEqual(withoutForms(answer))
  }
}
