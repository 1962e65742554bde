import type { Command } from 'commander'
import { type Io, processIo } from './io/io.ts'
import { run } from './io/run.ts'

/** Runs a command of `gc` or `bd`; answers with its exit status. */
export const runCommand = (called: string, args: readonly string[]): Promise<number> =>
  called === 'bd' ? runBd(args, processIo()) : runGc(args, processIo())

async function runBd(args: readonly string[], io: Io): Promise<number> {
  const { createBd } = await import('./bd/program.ts')
  return run(createBd(io), args, io)
}

/** Runs a command of `gc`: its own, one of `bd`, or one that a pack of the city ships. */
export async function runGc(args: readonly string[], io: Io): Promise<number> {
  if (args[0] === 'bd') return runBd(args.slice(1), io)
  const { createProgram } = await import('./program.ts')
  const program = createProgram(io)
  const { splitGlobals } = await import('./pack-commands/match.ts')
  const { globals, words } = splitGlobals(args)
  if (words[0] === 'bd') {
    const options = Object.entries(globals).flatMap(([name, value]) => [`--${name}`, value])
    return runBd([...options, ...words.slice(1)], io)
  }
  const reserved = await reservedNames(program)
  if (mayBeOfPack(words[0], reserved)) {
    const status = await runOfPack(io, program, globals.city, words, reserved)
    if (status !== undefined) return status
  }
  return run(program, args, io)
}

const mayBeOfPack = (word: string | undefined, reserved: ReadonlySet<string>): boolean =>
  word !== undefined && !word.startsWith('-') && !reserved.has(word)

/** The names that packs cannot take: those of gc's own commands, but for those that only say that gc needs none. */
async function reservedNames(program: Command): Promise<Set<string>> {
  const { FALLBACKS } = await import('./commands/later.ts')
  const names = program.commands.flatMap((command) => [command.name(), ...command.aliases()])
  return new Set([...names.filter((name) => !FALLBACKS.has(name)), 'help', 'completion'])
}

/** Runs a command of a pack, if there is a city and one of its packs has it. */
async function runOfPack(
  io: Io,
  program: Command,
  city: string | undefined,
  words: readonly string[],
  reserved: ReadonlySet<string>,
): Promise<number | undefined> {
  const [{ CommandContext }, { cityFolder }, { runPackCommand }] = await Promise.all([
    import('./context/context.ts'),
    import('./context/city-folder.ts'),
    import('./pack-commands/run.ts'),
  ])
  const folder = await cityFolder(new CommandContext(io, program), city).catch(() => undefined)
  return folder === undefined ? undefined : runPackCommand(io, folder, words, reserved)
}
