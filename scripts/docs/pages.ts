import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { commandsPage } from './commands.ts'
import { configurationPage } from './configuration.ts'
import { withCatalogueTables } from './errors.ts'
import { NUMBERS } from './number-sources.ts'
import { withNumbers } from './numbers.ts'
import { networkPage, supervisorPage } from './operations.ts'

const ROOT = resolve(import.meta.dir, '../..')
const TROUBLESHOOTING = 'docs/troubleshooting.md'

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** The pages that are generated from the code, by path: wholly, in some tables, or in their numbers. */
export async function generatePages(): Promise<ReadonlyMap<string, string>> {
  const numbered = Object.keys(NUMBERS).map((path) => [path, withNumbers(path, read(path))] as const)
  const troubleshooting = withNumbers(TROUBLESHOOTING, read(TROUBLESHOOTING))
  return new Map([
    ...numbered,
    ['docs/api-reference.md', supervisorPage()],
    ['docs/network-reference.md', networkPage()],
    ['docs/configuration.md', configurationPage()],
    ['docs/commands.md', await commandsPage()],
    [TROUBLESHOOTING, withCatalogueTables(troubleshooting)],
  ])
}
