import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Command } from 'commander'
import type { CommandContext } from '../context/context.ts'
import { failure } from '../io/exit.ts'
import { printLine } from '../io/io.ts'
import { launchOf } from '../unit/launch.ts'
import { installedFiles, requireManager } from '../unit/manager.ts'

interface Install {
  force?: true
  dryRun?: true
}

/** The supervisor as a unit of systemd or launchd. */
export function unitCommands(supervisor: Command, context: CommandContext): void {
  supervisor
    .command('install')
    .description('start the supervisor at login, by systemd or launchd')
    .option('--force', 'replace an existing unit')
    .option('--dry-run', 'print the unit and write nothing')
    .action((options: Install) => install(context, options))
  supervisor
    .command('uninstall')
    .description('remove the unit that `install` wrote')
    .action(() => uninstall(context))
}

function install({ io }: CommandContext, { force, dryRun }: Install): void {
  if (io.env.GC_SESSION_ID) throw failure('a session may not let the system start programs; ask the operator')
  const manager = requireManager(io)
  const text = manager.text(launchOf(io))
  if (dryRun) {
    io.out(text)
    return
  }
  const { file } = manager
  if (existsSync(file) && !force) throw failure(`${file} exists; --force replaces it`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  printLine(io, `Wrote ${file}.`)
  for (const sentence of manager.afterInstall) printLine(io, sentence)
}

function uninstall({ io }: CommandContext): void {
  if (io.env.GC_SESSION_ID) throw failure('a session may not change system services; ask the operator')
  const manager = requireManager(io)
  const files = installedFiles(manager)
  if (files.length === 0) throw failure(`there is no ${manager.file}; \`gc supervisor install\` writes one`)
  for (const file of files) {
    rmSync(file)
    printLine(io, `Removed ${file}.`)
  }
  printLine(io, `${manager.afterUninstall} \`gc down\` ends what still runs.`)
}
