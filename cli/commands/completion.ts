import type { Command, Option } from 'commander'
import { resolveHome } from '../../src/client/home.ts'
import { cityFolder } from '../context/city-folder.ts'
import type { CommandContext } from '../context/context.ts'
import { usageError } from '../io/exit.ts'
import { printLine } from '../io/io.ts'
import { loadOffline } from '../pack-commands/offline.ts'

/** What a shell runs to complete a line: it asks gc for the words that may come next. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_gc() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(gc complete-words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _gc gc`,
  zsh: `#compdef gc
_gc() { compadd -- \${(f)"$(gc complete-words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"} }
compdef _gc gc`,
  fish: `complete -c gc -a '(gc complete-words -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
}

export function completionCommands(program: Command, context: CommandContext): void {
  program
    .command('completion')
    .description('print what a shell reads to complete commands, those of packs too')
    .argument('<shell>', 'bash, zsh or fish')
    .addHelpText('after', '\nsource <(gc completion bash)')
    .action((shell: string) => {
      const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined
      if (script === undefined) throw usageError(`the shell is ${Object.keys(SCRIPTS).join(', ')}, not ${shell}`)
      printLine(context.io, script)
    })
  program
    .command('complete-words', { hidden: true })
    .argument('[words...]')
    .action(async (words: string[]) => {
      for (const word of await nextWords(program, context, words)) printLine(context.io, word)
    })
}

/** The words that may stand where the last of these words is being typed. */
async function nextWords(program: Command, context: CommandContext, words: readonly string[]): Promise<string[]> {
  const path = words.slice(0, -1).filter((word) => !word.startsWith('-'))
  let command: Command | undefined = program
  for (const word of path)
    command = command && (subcommand(command, word) ?? (command === program ? undefined : command))
  const own = command ? wordsOf(command) : []
  return [...new Set([...own, ...(command === undefined || command === program ? await packWords(context, path) : [])])]
}

const subcommand = (command: Command, word: string): Command | undefined =>
  command.commands.find((each) => each.name() === word || each.aliases().includes(word))

/** The subcommands and long options of a command. */
function wordsOf(command: Command): string[] {
  const help = command.createHelp()
  const options = help.visibleOptions(command).flatMap(({ long }: Option) => long ?? [])
  return [...help.visibleCommands(command).map((each) => each.name()), ...options]
}

/** The next words of commands that packs ship. */
async function packWords(context: CommandContext, path: readonly string[]): Promise<string[]> {
  const folder = await cityFolder(context, undefined).catch(() => undefined)
  if (folder === undefined) return []
  const { readCityFiles, findPackCommands } = await loadOffline()
  const { scripts } = findPackCommands(readCityFiles(folder, resolveHome(context.io.env)).packs, new Set())
  const lines = scripts.map(({ binding, words }) => [binding, ...words])
  return lines.filter((line) => path.every((word, at) => line[at] === word)).flatMap((line) => line[path.length] ?? [])
}
