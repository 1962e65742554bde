import { type Command, CommanderError } from 'commander'
import { sanitizeLines } from '../../src/client/text.ts'
import { fixHint } from '../../src/core/error-catalogue.ts'
import { readLine } from './command-line.ts'
import { describeError, type ErrorReport, exitStatus } from './describe-error.ts'
import { Exit, INTERRUPTED, USAGE_CODE } from './exit.ts'
import type { Io } from './io.ts'

/** Lets a program write to `io` and throw instead of ending the process; `run` says what was wrong. */
export function configureProgram(program: Command, io: Io): Command {
  return program
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(text),
      writeErr: (text) => io.err(text),
      outputError: () => undefined,
      getOutHelpWidth: () => io.width ?? 100,
      getErrHelpWidth: () => io.width ?? 100,
      getOutHasColors: () => io.colour,
      getErrHasColors: () => io.colour,
    })
}

interface RunOptions {
  /** The name that was meant by one that nothing has, when there is a near one. */
  suggest?(error: unknown): Promise<string | undefined>
  /** More about what there is none of. */
  explain?(error: unknown): Promise<string | undefined>
  /** Prints an error as JSON, where the output would be. */
  printJsonError?(error: ErrorReport & { suggestion?: string }): void
}

/** Runs a program and returns its exit status: the only place where an error becomes a status and a sentence. */
export async function run(
  program: Command,
  args: readonly string[],
  io: Io,
  options: RunOptions = {},
): Promise<number> {
  try {
    if (args.length === 0) {
      program.outputHelp()
      return 0
    }
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    // A group without a command shows its help: that is not an error.
    if (error instanceof CommanderError && (error.exitCode === 0 || error.code === 'commander.help')) return 0
    if (io.signal.aborted) return INTERRUPTED
    await reportError(program, args, io, error, options)
    return exitStatus(error)
  }
}

/** Prints an error on standard error, as JSON with `--json`. */
async function reportError(
  program: Command,
  args: readonly string[],
  io: Io,
  error: unknown,
  { suggest, explain, printJsonError }: RunOptions,
): Promise<void> {
  const { message: found, ...report } = describeError(error, io.env)
  const message = (await unknownCommand(program, args, error)) ?? found
  if (!message) return
  const suggestion = message.includes('id you mean') ? undefined : await suggest?.(error)
  const about = suggestion ? undefined : await explain?.(error).catch(() => undefined)
  const meant = suggestion && `; did you mean ${suggestion}?`
  const hint = meant ?? (about ? `; ${about}` : fixHint(report.code, message))
  const sentence = sanitizeLines(message + hint)
  if (printJsonError && wantsJson(args)) {
    return printJsonError({ ...report, message: sentence, ...(suggestion && { suggestion }) })
  }
  io.err(`${program.name()}: ${sentence}\n`)
  if (isWrongLine(error)) io.err(shortHelp(program, args, io))
}

/** The errors of a command line whose first word is not a command. */
const WITHOUT_COMMAND: ReadonlySet<string> = new Set([
  'commander.unknownCommand',
  'commander.excessArguments',
  'commander.unknownOption',
])

/**
 * The sentence for a word that is not a command of its group, with the nearest one. The default command of a group takes it
 * for an argument: then only what follows is rejected.
 */
async function unknownCommand(program: Command, args: readonly string[], error: unknown): Promise<string | undefined> {
  if (!(error instanceof CommanderError) || !WITHOUT_COMMAND.has(error.code)) return undefined
  if (error.message.includes('(Did you mean')) return undefined
  const { command, given } = readLine(program, args)
  const word = given.find(({ placeholder }) => placeholder === '')?.word
  if (word === undefined || command.commands.length === 0 || command.registeredArguments.length > 0) return undefined
  const { nearest } = await import('../../src/config/files/suggestion.ts')
  const near = nearest(
    word,
    command.commands.flatMap((each) => [each.name(), ...each.aliases()]),
  )
  if (near !== undefined) return `unknown command '${word}'; did you mean ${near}?`
  return error.code === 'commander.excessArguments' ? `unknown command '${word}'` : undefined
}

/** The help of the command that was called wrongly, without what is said at length there. */
function shortHelp(program: Command, args: readonly string[], io: Io): string {
  const { command } = readLine(program, args)
  if (command === program) return `(${program.name()} --help lists the commands)\n`
  const help = command.createHelp()
  help.showGlobalOptions = false
  help.commandDescription = () => ''
  help.helpWidth = io.width ?? 100
  return `\n${help.formatHelp(command, help)}`
}

/** True if the command line is wrong: not so where a command that was called rightly ends with the same status. */
const isWrongLine = (error: unknown): boolean =>
  error instanceof CommanderError || (error instanceof Exit && error.code === USAGE_CODE)

/** True if the words ask for JSON, however wrong they are otherwise. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return args.slice(0, end < 0 ? undefined : end).some((word) => word === '--json' || word.startsWith('--json='))
}
