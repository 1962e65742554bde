import type { Command } from 'commander'
import { commit, notices, version } from '../context/version.ts'
import { failure } from '../io/exit.ts'
import { type Io, printJson, printLine } from '../io/io.ts'

export const versionLine = `gc ${version} (${commit})`

export function versionCommand(program: Command, io: Io): void {
  program
    .command('version')
    .description('print the version of this program')
    .option('--json', 'as JSON')
    .option('-l, --long', 'accepted')
    .option('--licenses', 'print the licenses of this program and of the software in it')
    .action((options: { json?: true; licenses?: true }) => {
      if (options.licenses) return printLicenses(io)
      if (options.json) return printJson(io, { version, commit })
      printLine(io, versionLine)
    })
}

function printLicenses(io: Io): void {
  if (notices === undefined) {
    throw failure('the licenses are collected when gc is built; among its sources they lie in LICENSE and node_modules')
  }
  printLine(io, notices)
}
