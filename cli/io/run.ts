import { type Command, CommanderError } from 'commander'
import { ApiError, SupervisorOutage, Unreachable } from '../../src/client/errors.ts'
import { sanitizeLines } from '../../src/client/text.ts'
import { Exit } from './exit.ts'
import type { Io } from './io.ts'

const INTERRUPTED = 130
/** As `sysexits.h` has it. Hooks of agent programs take 2 as an order to stop and 1 as `no work`; this is neither. */
const TEMPORARY_FAILURE = 75

/** Lets a program write to `io` and throw instead of ending the process. */
export function configureProgram(program: Command, io: Io): Command {
  return program
    .showSuggestionAfterError()
    .showHelpAfterError(`(${program.name()} --help lists the commands)`)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(text),
      writeErr: (text) => io.err(text),
      outputError: (text, write) => write(text.replace(/^error:/, `${program.name()}:`)),
      getOutHelpWidth: () => io.width ?? 100,
      getErrHelpWidth: () => io.width ?? 100,
      getOutHasColors: () => io.colour,
      getErrHasColors: () => io.colour,
    })
}

/** Runs a program and returns its exit status: the only place where an error becomes a status and a sentence. */
export async function run(program: Command, args: readonly string[], io: Io): Promise<number> {
  try {
    if (args.length === 0) {
      program.outputHelp()
      return 0
    }
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    // A group of commands by itself shows its help: that is no error.
    if (error instanceof CommanderError) return error.exitCode === 0 || error.code === 'commander.help' ? 0 : 2
    if (io.signal.aborted) return INTERRUPTED
    const message = errorSentence(error)
    if (message) io.err(`${program.name()}: ${sanitizeLines(message)}\n`)
    return exitStatus(error)
  }
}

/** The status of a command that failed. */
export function exitStatus(error: unknown): number {
  if (error instanceof Exit) return error.status
  return error instanceof SupervisorOutage ? TEMPORARY_FAILURE : 1
}

/** The sentence that tells a user about an error. */
export function errorSentence(error: unknown): string {
  if (error instanceof Unreachable) {
    return `no supervisor answers at ${error.url} (${error.reason}); start one with \`gc up\``
  }
  if (error instanceof ApiError) return error.sentence
  return error instanceof Error ? error.message : String(error)
}
