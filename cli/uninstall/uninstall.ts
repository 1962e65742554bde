import { existsSync, rmSync } from 'node:fs'
import type { Command } from 'commander'
import { resolveHome } from '../../src/client/home.ts'
import type { CommandContext } from '../context/context.ts'
import { program as ownProgram } from '../context/version.ts'
import { failure } from '../io/exit.ts'
import { confirm, type Io, printLine } from '../io/io.ts'
import { findManager } from '../unit/manager.ts'
import { requireRemovable } from './home-guard.ts'
import { findInstalled } from './leftovers.ts'

interface Uninstall {
  yes?: true
  home?: string
}

export function uninstallCommand(program: Command, context: CommandContext): void {
  program
    .command('uninstall')
    .description('remove gc from this machine; cities stay')
    .option('--home <folder>', 'also remove GC_HOME; repeat its path here to confirm')
    .option('--yes', 'remove without asking')
    .action((options: Uninstall) => uninstall(context.io, options))
}

async function uninstall(io: Io, { yes, home: named }: Uninstall): Promise<void> {
  if (io.env.GC_SESSION_ID) throw failure('a session may not uninstall gc; ask the operator')
  const { HeldHome } = await import('../../src/supervisor/held-home.ts')
  const home = resolveHome(io.env)
  using held = new HeldHome(home)
  const cities = named === undefined ? [] : held.cities()
  if (named !== undefined) requireRemovable(io, named, cities)
  const paths = [...findInstalled(io), ...(named === undefined ? [] : [home])]
  if (paths.length === 0) return printLine(io, 'There is nothing to remove.')
  printLine(io, `To be removed:\n${paths.map((path) => `  ${path}`).join('\n')}`)
  if (!yes && !(await isConfirmed(io))) throw failure('nothing was removed')
  for (const path of paths) rmSync(path, { recursive: true, force: true })
  printLine(io, 'All that is removed.')
  for (const sentence of remaining(io, paths, cities)) printLine(io, sentence)
}

async function isConfirmed(io: Io): Promise<boolean> {
  if (!io.isInteractive) throw failure('there is no terminal to confirm; add --yes to remove it')
  return confirm(io, 'Remove it?')
}

/** Remaining parts, with the way to remove them. */
function remaining(io: Io, removed: readonly string[], cities: readonly string[]): string[] {
  const manager = findManager(io)
  const [binary = '', ...more] = ownProgram
  return [
    ...(manager && removed.includes(manager.file) ? [manager.afterUninstall] : []),
    ...(cities.length > 0 ? [`These cities are left as they are: ${cities.join(', ')}.`] : []),
    ...(more.length === 0 && existsSync(binary) ? [`This program is ${binary}; remove that file last.`] : []),
  ]
}
