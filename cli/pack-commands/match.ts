import type { PackCommand } from '../../src/config/packs/index.ts'

/** Meaning of the words after a binding. */
export type Match =
  | { readonly kind: 'run'; readonly command: PackCommand; readonly args: readonly string[] }
  | { readonly kind: 'help'; readonly command: PackCommand }
  | { readonly kind: 'list'; readonly commands: readonly PackCommand[] }
  | { readonly kind: 'unknown'; readonly commands: readonly PackCommand[] }

const HELP = new Set(['--help', '-h', 'help'])

/** Finds the command of a binding that words call: the one with most words. */
export function matchCommand(commands: readonly PackCommand[], words: readonly string[]): Match {
  const isCalled = ({ words: own }: PackCommand) => own.every((word, at) => words[at] === word)
  const [command] = commands.filter(isCalled).sort((a, b) => b.words.length - a.words.length)
  if (command) {
    const args = words.slice(command.words.length)
    return args[0] === '--help' || args[0] === '-h' ? { kind: 'help', command } : { kind: 'run', command, args }
  }
  const path = HELP.has(words.at(-1) ?? '') ? words.slice(0, -1) : words
  const below = commands.filter(({ words: own }) => path.every((word, at) => own[at] === word))
  return below.length > 0 ? { kind: 'list', commands: below } : { kind: 'unknown', commands }
}

const GLOBAL = ['--city', '--rig']

/** The options of gc before its first word, and the words from there on. */
export function splitGlobals(args: readonly string[]): { globals: Record<string, string>; words: readonly string[] } {
  const globals: Record<string, string> = {}
  let at = 0
  for (; at < args.length; at++) {
    const word = args[at] ?? ''
    const option = GLOBAL.find((name) => word === name || word.startsWith(`${name}=`))
    if (option === undefined) break
    const value = word === option ? args[++at] : word.slice(option.length + 1)
    if (value === undefined) break
    globals[option.slice(2)] = value
  }
  return { globals, words: args.slice(at) }
}
