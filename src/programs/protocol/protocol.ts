import { splitSimpleCommand } from './command-line.ts'
import { BD_COMMANDS, type CommandList, GC_COMMANDS } from './commands.ts'

/**
 * The words after `gc` in a shell command that is one of gc's own protocol. Undefined for every other
 * command. `gc` may be called by the name or by the words that start it.
 */
export function protocolWords(text: unknown, gc: readonly string[]): readonly string[] | undefined {
  const given = typeof text === 'string' ? splitSimpleCommand(text) : undefined
  if (!given) return undefined
  const isStarted = gc.length > 0 && gc.every((word, at) => given[at] === word)
  const words = isStarted ? given.slice(gc.length) : given[0] === 'gc' ? given.slice(1) : given
  if (words === given && words[0] !== 'bd') return undefined
  return isProtocol(words) ? words : undefined
}

/** Begins a command line of gc that runs a command of the protocol and no other, for programs that match first words. */
export const GUARD: readonly string[] = ['hook', 'protocol']

/** The variable with which `gc` and `bd` refuse what only begins as a command of the protocol. */
export const PROTOCOL_ONLY = 'GC_PROTOCOL_ONLY'

/** The first words of all commands of the protocol, for programs that match no more than those. */
export const protocolPrefixes = (): string[][] => [
  ...Object.keys(GC_COMMANDS.allowed).map((name) => ['gc', ...name.split(' ')]),
  ...Object.keys(BD_COMMANDS.allowed).flatMap((name) => [
    ['bd', ...name.split(' ')],
    ['gc', 'bd', ...name.split(' ')],
  ]),
]

/** The command of the protocol that words of a shell begin with; undefined where they are one, or begin with none. */
export function onlyBegins(words: readonly string[]): readonly string[] | undefined {
  const begun = protocolPrefixes().filter((prefix) => prefix.every((word, at) => words[at] === word))
  if (isProtocol(words[0] === 'gc' ? words.slice(1) : words) || runsProtocol(words)) return undefined
  return begun.sort((a, b) => b.length - a.length)[0]
}

/** `gc hook run` with a command of the protocol, as hooks of programs call it. */
function runsProtocol(words: readonly string[]): boolean {
  const end = words.indexOf('--')
  const [gc, hook, run, ...options] = words.slice(0, end)
  const isPlain = options.every((word, at) => at % 2 === 1 || /^--timeout(?:-exit-code)?$/.test(word))
  const isRun = end > 0 && gc === 'gc' && hook === 'hook' && run === 'run' && options.length % 2 === 0
  return isRun && isPlain && isProtocol(words.slice(end + 1))
}

/** True if words behind `gc` are a command of the protocol. */
export const isProtocol = (words: readonly string[]): boolean =>
  words[0] === 'bd' ? isAllowed(words.slice(1), BD_COMMANDS) : isAllowed(words, GC_COMMANDS)

/**
 * Reads words as the program does: the first ones are the command, and options stand anywhere. What it would read in
 * another way, such as several short options in one word, is not allowed.
 */
function isAllowed(words: readonly string[], list: CommandList): boolean {
  const names = namesOf(list)
  const given: string[] = []
  let command = ''
  let count = 0
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    const inner = command === '' ? word : `${command} ${word}`
    if (word.startsWith('-') && word !== '-') {
      const option = findOption(word, optionsOf(list, command))
      if (option === undefined) return false
      given.push(option.name)
      if (!option.name.endsWith('=')) continue
      const value = option.value ?? words[++at]
      // `@` stands for a file.
      if (value === undefined || value.startsWith('@')) return false
    } else if (count === 0 && names.has(inner)) command = inner
    else count++
  }
  if (list.allowed[command] === undefined) return false
  const allowed = optionsOf(list, command)
  return given.every((option) => allowed.has(option)) && (count === 0 || !allowed.has('[]'))
}

/** The option that a word gives, as it is listed, and the value if that is in the word; undefined for one that is not. */
function findOption(word: string, allowed: ReadonlySet<string>): { name: string; value?: string } | undefined {
  const whole = [word, `${word}=`].find((option) => allowed.has(option))
  if (whole !== undefined) return { name: whole }
  const [, long = '', value = ''] = /^(--[a-z-]+)=([\s\S]*)$/.exec(word) ?? ['', word.slice(0, 2), word.slice(2)]
  // `--json=id,title` is short for both options.
  const name = long === '--json' ? '--fields=' : `${long}=`
  return allowed.has(name) ? { name, value } : undefined
}

const optionsOf = ({ options, allowed }: CommandList, command: string): ReadonlySet<string> =>
  new Set(`${options} ${allowed[command] ?? ''}`.split(/\s+/))

/** The names of all commands and of the groups that they are in. */
function namesOf({ allowed, asked }: CommandList): ReadonlySet<string> {
  const names = [...Object.keys(allowed), ...asked.split(/,\s*/)]
  return new Set(
    names.flatMap((name) => {
      const words = name.split(' ')
      return words.map((_, at) => words.slice(0, at + 1).join(' '))
    }),
  )
}
