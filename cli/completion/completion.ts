import { Argument, type Command } from 'commander'
import { cityFolder } from '../context/city-folder.ts'
import type { CommandContext } from '../context/context.ts'
import { Exit } from '../io/exit.ts'
import { printLine } from '../io/io.ts'
import { complete, type Sources } from '../names/complete.ts'
import type { Named } from '../names/kinds.ts'
import bash from './gc.bash' with { type: 'text' }
import fish from './gc.fish' with { type: 'text' }
import zsh from './gc.zsh' with { type: 'text' }

/** Scripts for shells, which ask gc for the possible next words. */
const SCRIPTS: Readonly<Record<string, string>> = { bash, zsh, fish }

/** Time a shell waits for the words, from when it starts gc. */
const DEADLINE_MS = 150

/** The status that makes a shell offer files. */
const NO_WORDS = 1

export function completionCommands(program: Command, context: CommandContext): void {
  program
    .command('completion')
    .description('print completions for a shell')
    .addArgument(new Argument('<shell>').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      '\nbash: source <(gc completion bash)\nzsh:  source <(gc completion zsh)\nfish: gc completion fish | source',
    )
    .action((shell: string) => context.io.out(SCRIPTS[shell] ?? ''))
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: string[]) => {
      const { program: own, words: typed } = await programOf(program, context, words)
      const found = await complete(own, typed, sourcesInTime(own, context.of(own)))
      if (found === undefined) throw new Exit(NO_WORDS)
      for (const { name, about } of found) printLine(context.io, about ? `${name}\t${about}` : name)
    })
}

/** The program that a line is for, and its words: those of `gc bd` are for `bd`. */
async function programOf(program: Command, { io }: CommandContext, words: readonly string[]) {
  if (words[0] !== 'bd' || words.length < 2) return { program, words }
  const { createBd } = await import('../bd/program.ts')
  return { program: await createBd(io), words: words.slice(1) }
}

/** Looks that start no supervisor and find nothing when there is no time left. */
function sourcesInTime(program: Command, context: CommandContext): Sources {
  const { env, signal } = context.io
  const deadline = Number(env.GC_COMPLETION_MS) || DEADLINE_MS
  const late = AbortSignal.timeout(Math.max(1, deadline - performance.now()))
  const limited = context.printingTo({ ...context.io, signal: AbortSignal.any([signal, late]) }).withoutStarting()
  const { promise: nothing, resolve } = Promise.withResolvers<Named[]>()
  late.addEventListener('abort', () => resolve([]), { once: true })
  const inTime = (found: Promise<Named[]>) => Promise.race([found.catch(() => []), nothing])
  return {
    namesOf(kind, { globals }) {
      for (const [name, value] of Object.entries(globals)) program.setOptionValue(name, value)
      return inTime(kind.list(limited))
    },
    packWords: (path) => inTime(packWords(limited, path)),
  }
}

/** The next words of commands that packs ship. */
async function packWords(context: CommandContext, path: readonly string[]): Promise<Named[]> {
  const folder = await cityFolder(context, undefined)
  const { loadPackCommands } = await import('../pack-commands/load.ts')
  const { commands } = await loadPackCommands(context.io, folder, new Set())
  const lines = commands.map(({ binding, words }) => [binding, ...words])
  const next = lines
    .filter((line) => path.every((word, at) => line[at] === word))
    .flatMap((line) => line[path.length] ?? [])
  return next.map((name) => ({ name }))
}
