import type { Argument, Command } from 'commander'
import { createProgram } from '../../cli/program.ts'
import { recorder } from './shell.ts'

/** A command that does something, and the words that call it. */
export interface TreeCommand {
  readonly name: string
  readonly command: Command
  readonly args: readonly Argument[]
}

const PROGRAM = await createProgram(recorder().io)

/** Every command of gc that does something automatically. */
export function allCommands(command = PROGRAM, path: readonly string[] = []): TreeCommand[] {
  const inner = command.commands.flatMap((each) => allCommands(each, [...path, each.name()]))
  if (path.length === 0 || !('_actionHandler' in command && command._actionHandler)) return inner
  return [{ name: path.join(' '), command, args: command.registeredArguments }, ...inner]
}

/** The words of a command with a word for each argument, a number where it is read as one, and for each option that it must have. */
export function wordsOf({ name, command, args }: TreeCommand, word: string): string[] {
  const given = args.map(({ argChoices, parseArg }) => argChoices?.[0] ?? (parseArg ? '1' : word))
  const needed = command.options.flatMap(({ mandatory, long, argChoices }) =>
    mandatory && long ? [long, argChoices?.[0] ?? word] : [],
  )
  return [...name.split(' '), ...given, ...needed]
}
