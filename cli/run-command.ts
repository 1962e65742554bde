import type { Command } from 'commander'
import { exitWithTerminal } from './io/hangup.ts'
import { type Io, printJsonError, processIo } from './io/io.ts'
import { run } from './io/run.ts'

/** Runs a command of `gc` or `bd`; answers with its exit status. */
export async function runCommand(called: string, args: readonly string[]): Promise<number> {
  const io = ownIo()
  const words = called === 'bd' ? ['bd', ...args] : ['gc', ...args]
  if (io.env.GC_PROTOCOL_ONLY && (await isRefused(words, io))) return 2
  return called === 'bd' ? runBd(args, io) : runGc(args, io)
}

/** True if a session must not run these words without asking, although its program matches the first ones only. */
export async function isRefused(words: readonly string[], io: Io): Promise<boolean> {
  const { onlyBegins } = await import('../src/programs/protocol/protocol.ts')
  const begun = onlyBegins(words)
  if (!begun) return false
  const name = begun.join(' ')
  const reason = `your program runs \`${name}\` without asking, and so not with these options`
  io.err(`gc: ${reason}; have a person allow it: \`env -u GC_PROTOCOL_ONLY ${name} …\`\n`)
  return true
}

function ownIo(): Io {
  exitWithTerminal()
  return processIo()
}

/** Runs a command of `bd`. */
export async function runBd(args: readonly string[], io: Io): Promise<number> {
  // A shell completes both programs by the same words.
  if (args[0] === '__complete') return runGc(['__complete', '--', 'bd', ...args.slice(2)], io)
  const [{ createBd }, { Printer }, { expandBd }] = await Promise.all([
    import('./bd/program.ts'),
    import('./bd/print.ts'),
    import('./compatibility.ts'),
  ])
  const words = expandBd(args)
  return run(await createBd(io, words), words, io, {
    printJsonError: ({ message }) => new Printer(io, true).value({ error: message }),
  })
}

/** Runs a command of `gc`: its own, one of `bd`, or one that a pack of the city ships. */
export async function runGc(given: readonly string[], io: Io): Promise<number> {
  if (given[0] === 'bd') return runBd(given.slice(1), io)
  if (given[0] === 'serve') return runServe(given, io)
  const { expandGc } = await import('./compatibility.ts')
  const args = given.length === 0 && (await isFirstRun(io)) ? ['init'] : expandGc(given)
  const { COMMAND_WORDS, createProgram } = await import('./program.ts')
  const program = await createProgram(io, args)
  const { splitGlobals } = await import('./pack-commands/match.ts')
  const { globals, words } = splitGlobals(args)
  if (words[0] === 'bd') {
    const options = Object.entries(globals).flatMap(([name, value]) => [`--${name}`, value])
    return runBd([...options, ...words.slice(1)], io)
  }
  const reserved = await reservedNames(COMMAND_WORDS)
  if (mayBeOfPack(words[0], reserved)) {
    const status = await runOfPack(io, program, globals.city, words, reserved)
    if (status !== undefined) return status
  }
  if (words.length === 0 || (words.length === 1 && HELP.has(words[0] ?? ''))) {
    program.addHelpText('after', await packHelp(io, program, globals.city, reserved))
  }
  return runOwn(io, program, args)
}

async function isFirstRun(io: Io): Promise<boolean> {
  const first = await import('./setup/bare.ts')
  return first.isFirstRun(io)
}

/** Runs the supervisor. */
async function runServe(args: readonly string[], io: Io): Promise<number> {
  const { createServeProgram } = await import('./serve-program.ts')
  return run(createServeProgram(io), args, io, { printJsonError: (error) => printJsonError(io, error) })
}

/** Runs a command of gc's own. */
async function runOwn(io: Io, program: Command, args: readonly string[]): Promise<number> {
  const [{ CommandContext }, { splitFields }, { suggestName, explainMissingSession }] = await Promise.all([
    import('./context/context.ts'),
    import('./context/json-options.ts'),
    import('./names/suggest.ts'),
  ])
  const suggest = (error: unknown) => suggestName(program, new CommandContext(io, program), args, error)
  const explain = (error: unknown) => explainMissingSession(new CommandContext(io, program), error)
  const printError = (error: object) => printJsonError(io, error)
  return run(program, splitFields(args), io, { suggest, explain, printJsonError: printError })
}

const HELP: ReadonlySet<string> = new Set(['--help', '-h', 'help'])

/** Help text on the commands of packs; empty without a city or such commands. */
async function packHelp(
  io: Io,
  program: Command,
  city: string | undefined,
  reserved: ReadonlySet<string>,
): Promise<string> {
  const folder = await findCityFolder(io, program, city)
  if (folder === undefined) return ''
  const { summarizePackCommands } = await import('./pack-commands/summary.ts')
  const lines = await summarizePackCommands(io, folder, reserved)
  return lines.length === 0 ? '' : ['', 'Packs of this city:', ...lines].join('\n')
}

/** The folder of the city to work in, if there is one. */
async function findCityFolder(io: Io, program: Command, city: string | undefined): Promise<string | undefined> {
  const [{ CommandContext }, { cityFolder }] = await Promise.all([
    import('./context/context.ts'),
    import('./context/city-folder.ts'),
  ])
  return cityFolder(new CommandContext(io, program), city).catch(() => undefined)
}

const mayBeOfPack = (word: string | undefined, reserved: ReadonlySet<string>): boolean =>
  word !== undefined && !word.startsWith('-') && !reserved.has(word)

/** The names that packs cannot take: those of gc's own commands, but for those that only say that gc needs none. */
async function reservedNames(words: ReadonlySet<string>): Promise<Set<string>> {
  const { FALLBACKS } = await import('./compatibility.ts')
  return new Set([...words].filter((name) => !FALLBACKS.has(name)).concat('completion'))
}

/** Runs a command of a pack, if there is a city and one of its packs has it. */
async function runOfPack(
  io: Io,
  program: Command,
  city: string | undefined,
  words: readonly string[],
  reserved: ReadonlySet<string>,
): Promise<number | undefined> {
  const folder = await findCityFolder(io, program, city)
  if (folder === undefined) return undefined
  const { runPackCommand } = await import('./pack-commands/run.ts')
  return runPackCommand(io, folder, words, reserved)
}
