import type { Command } from 'commander'
import { commit, version } from '../context/version.ts'
import { type Io, printJson, printLine } from '../io/io.ts'

export function versionCommand(program: Command, io: Io): void {
  program
    .command('version')
    .description('print the version of this program')
    .option('--json', 'as JSON')
    .action((options: { json?: true }) => {
      if (options.json) return printJson(io, { version, commit })
      printLine(io, `gc ${version} (${commit})`)
    })
}
