import type { Command } from 'commander'
import { createBaseProgram } from './base-program.ts'
import { CommandContext } from './context/context.ts'
import { versionLine } from './help/version.ts'
import type { Io } from './io/io.ts'
import { serveCommand } from './supervisor/serve.ts'

/** The `gc` program for `gc serve` alone. It stays for long, so it loads none of the other commands. */
export function createServeProgram(io: Io): Command {
  const program = createBaseProgram(io).version(versionLine, '-V, --version', 'print the version of this program')
  serveCommand(program, new CommandContext(io, program))
  return program
}
