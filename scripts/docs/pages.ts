import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { commandsPage } from './commands.ts'
import { configurationPage } from './configuration.ts'
import { withErrorTables } from './errors.ts'
import { networkPage, supervisorPage } from './operations.ts'

const DOCS = resolve(import.meta.dir, '../../docs')

const read = (name: string): string => readFileSync(join(DOCS, name), 'utf8')

/** The pages of `docs/` that are generated from the code, wholly or in part, by file name. */
export const generatePages = async (): Promise<ReadonlyMap<string, string>> =>
  new Map([
    ['api-reference.md', supervisorPage()],
    ['network-reference.md', networkPage()],
    ['configuration.md', configurationPage()],
    ['commands.md', await commandsPage()],
    ['troubleshooting.md', withErrorTables(read('troubleshooting.md'))],
  ])
