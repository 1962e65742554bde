import { statSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { Command } from 'commander'
import { resolveHome } from '../../src/client/home.ts'
import { countOf, sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { Exit, failure } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'

/** The form of the JSON of this command, as known clients expect it. */
const SCHEMA_VERSION = '2'

export function lintCommand(program: Command, context: CommandContext): void {
  withJson(program.command('lint').description('check the packs or the city in a folder for errors'))
    .argument('[folder]', 'pack, city, or folder of packs', '.')
    .action((folder: string, options: JsonOption) => lint(context, folder, options))
}

async function lint({ io }: CommandContext, folder: string, { json }: JsonOption): Promise<void> {
  const path = resolve(io.cwd, folder)
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw failure(`there is no folder ${path}`)
  const { lintFolder } = await import('../../src/config/offline/lint.ts')
  const { lintFormulasIn } = await import('../../src/orchestration/formulas/lint-folder.ts')
  const { toVisible } = await import('../../src/config/offline/visible.ts')
  const home = resolveHome(io.env)
  const packs = toVisible(lintFolder(path, home, lintFormulasIn), { env: io.env, path, home })
  if (packs.length === 0) throw failure(`there is no pack.toml in ${path} or below it, and no city.toml`)
  const count = (kind: 'errors' | 'warnings') => packs.reduce((sum, pack) => sum + pack[kind].length, 0)
  const [errors, warnings] = [count('errors'), count('warnings')]
  if (json) {
    const summary = { packs: packs.length, errors, warnings }
    printJson(io, { schema_version: SCHEMA_VERSION, ok: errors === 0, command: 'lint', path, packs, summary })
  } else {
    for (const { name, path: at, errors: wrong, warnings: doubtful } of packs) {
      printLine(io, sanitizeLine(`${name} (${relative(path, at) || '.'})`))
      for (const each of wrong) printLine(io, sanitizeLine(`  error    ${each}`))
      for (const each of doubtful) printLine(io, sanitizeLine(`  warning  ${each}`))
    }
    printLine(io, `\n${packs.length} checked: ${countOf(errors, 'error')}, ${countOf(warnings, 'warning')}.`)
  }
  if (errors > 0) throw new Exit(1)
}
