import type { Argument, Command, Option } from 'commander'

/** A word of a command line and what its place was declared to be for. */
export interface Placed {
  readonly word: string
  /** As in `<agent>`, without the brackets. */
  readonly placeholder: string
  readonly choices: readonly string[]
}

/** A command line as far as it is typed. */
export interface CommandLine {
  /** The innermost command that it names. */
  readonly command: Command
  /** The arguments and the values of options. */
  readonly given: readonly Placed[]
  /** The values of the options of the program itself, such as `city`. */
  readonly globals: Readonly<Record<string, string>>
  /** Place of the next word: the value of an option, an argument, or an undeclared one. */
  readonly next: Omit<Placed, 'word'> | undefined
  /** True if it has arguments already, and so no further command. */
  readonly hasArguments: boolean
  /** True if the next word is the value of the option before it. */
  readonly isValue: boolean
  /** True if options may follow. */
  readonly takesOptions: boolean
}

/** Reads the words of a command line as the program's commands declare them; never fails. */
export function readLine(program: Command, words: readonly string[]): CommandLine {
  const given: Placed[] = []
  const globals: Record<string, string> = {}
  let command = program
  let open: Option | undefined
  let isEnded = false
  let count = 0
  const take = (option: Option, word: string) => {
    given.push({ word, ...placeOfOption(option) })
    if (program.options.includes(option)) globals[option.attributeName()] = word
  }
  for (const word of words) {
    if (open) {
      take(open, word)
      open = undefined
    } else if (!isEnded && word === '--') {
      isEnded = true
    } else if (!isEnded && word.startsWith('-') && word !== '-') {
      const [, flag = word, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? []
      const option = findOption(command, flag)
      if (option && value !== undefined) take(option, value)
      else if (option?.required) open = option
    } else {
      const inner = count === 0 ? findCommand(command, word) : undefined
      if (inner) command = inner
      else given.push({ word, ...placeOfArgument(argumentAt(command, count++)) })
    }
  }
  const argument = argumentAt(command, count)
  const next = open ? placeOfOption(open) : argument && placeOfArgument(argument)
  return {
    ...{ command, given, globals, next, hasArguments: count > 0 },
    ...{ isValue: open !== undefined, takesOptions: !isEnded && !open },
  }
}

/** The option of a flag: of the command, or of one around it. */
export function findOption(command: Command, flag: string): Option | undefined {
  const own = command.options.find((option) => option.long === flag || option.short === flag)
  return own ?? (command.parent ? findOption(command.parent, flag) : undefined)
}

export const findCommand = (command: Command, word: string): Command | undefined =>
  command.commands.find((each) => each.name() === word || each.aliases().includes(word))

function argumentAt(command: Command, at: number): Argument | undefined {
  const declared = command.registeredArguments
  const last = declared.at(-1)
  return declared[at] ?? (last?.variadic ? last : undefined)
}

const placeOfArgument = (argument: Argument | undefined) => ({
  placeholder: argument?.name() ?? '',
  choices: argument?.argChoices ?? [],
})

/** Placeholder of an option: `--rig <rig>`. */
export const placeOfOption = ({ flags, argChoices }: Option) => ({
  placeholder: /[<[]([^\]>]*?)(?:\.\.\.)?[\]>]/.exec(flags)?.[1] ?? '',
  choices: argChoices ?? [],
})
