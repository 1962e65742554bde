import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { withErrorTables } from './errors.ts'

const DOCS = resolve(import.meta.dir, '../../docs')

const read = (name: string): string => readFileSync(join(DOCS, name), 'utf8')

/** The pages of `docs/` that are generated from the code, wholly or in part, by file name. */
export const generatePages = async (): Promise<ReadonlyMap<string, string>> =>
  new Map([['troubleshooting.md', withErrorTables(read('troubleshooting.md'))]])
