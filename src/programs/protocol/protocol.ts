import { splitSimpleCommand } from './command-line.ts'
import { BD_COMMANDS, type CommandList, GC_COMMANDS } from './commands.ts'

/**
 * What a shell's command has gc do, if that is one of gc's own protocol: the words behind `gc`. Undefined for every other
 * command. `gc` may be called by the name or by the words that start it.
 */
export function protocolWords(text: unknown, gc: readonly string[]): readonly string[] | undefined {
  const given = typeof text === 'string' ? splitSimpleCommand(text) : undefined
  if (!given) return undefined
  const isStarted = gc.length > 0 && gc.every((word, at) => given[at] === word)
  const words = isStarted ? given.slice(gc.length) : given[0] === 'gc' ? given.slice(1) : given
  const isBd = words[0] === 'bd'
  if (!isBd && words === given) return undefined
  return (isBd ? isAllowed(words.slice(1), BD_COMMANDS) : isAllowed(words, GC_COMMANDS)) ? words : undefined
}

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
      given.push(option)
      if (!option.endsWith('=')) continue
      const value = word.includes('=') ? word.slice(word.indexOf('=') + 1) : words[++at]
      // `@` stands for a file.
      if (value === undefined || value.startsWith('@')) return false
    } else if (count === 0 && names.has(inner)) command = inner
    else count++
  }
  if (list.allowed[command] === undefined) return false
  const allowed = optionsOf(list, command)
  return given.every((option) => allowed.has(option)) && (count === 0 || !allowed.has('[]'))
}

/** The option that a word gives, as it is listed; undefined for one that is not. */
function findOption(word: string, allowed: ReadonlySet<string>): string | undefined {
  const equals = word.indexOf('=')
  if (equals < 0) return [word, `${word}=`].find((option) => allowed.has(option))
  const name = word.slice(0, equals)
  // `--json=id,title` is short for both options.
  if (name === '--json' && allowed.has('--fields=')) return '--fields='
  return name.startsWith('--') && allowed.has(`${name}=`) ? `${name}=` : undefined
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
