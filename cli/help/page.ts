import type { Command } from 'commander'
import { EXAMPLES } from './examples.ts'

/** The names of a command with those around it: `gc bead list`. */
export function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name()
}

export const pageName = (command: Command): string => fullName(command).replaceAll(' ', '-')

/** The commands that have a page: all that help shows. */
export function documented(command: Command): Command[] {
  const inner = command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => command.commands.includes(each))
  return [command, ...inner.filter((each) => each.name() !== 'help').flatMap(documented)]
}

/** The manual page of a command, made from what it declares; `date` is that of the page. */
export function manualPage(command: Command, version: string, date: string): string {
  const help = command.createHelp()
  const inner = documented(command).filter((each) => each.parent === command)
  const own = help.visibleOptions(command)
  const around = inheritedOptions(command)
  const seeAlso = [...(command.parent ? [command.parent] : []), ...inner]
  return [
    `.TH "${pageName(command).toUpperCase()}" "1" "${date}" "gc ${roff(version)}" "gc"`,
    '.SH NAME',
    `${roff(pageName(command))} \\- ${roff(command.description() || command.name()).replaceAll('\n', ' ')}`,
    '.SH SYNOPSIS',
    `.B ${roff(fullName(command))}`,
    text(command.usage()),
    ...section(
      'ARGUMENTS',
      help.visibleArguments(command).map((each) => [each.name(), help.argumentDescription(each)]),
    ),
    ...section(
      'OPTIONS',
      own.map((each) => [help.optionTerm(each), help.optionDescription(each)]),
    ),
    ...section(
      'GLOBAL OPTIONS',
      around.map((each) => [help.optionTerm(each), help.optionDescription(each)]),
    ),
    ...section(
      'COMMANDS',
      inner.map((each) => [fullName(each), each.description()]),
    ),
    ...examplesOf(command),
    ...(seeAlso.length === 0 ? [] : ['.SH SEE ALSO', seeAlso.map((each) => `${roff(pageName(each))}(1)`).join(',\n')]),
    '',
  ].join('\n')
}

function examplesOf(command: Command): string[] {
  const lines = EXAMPLES[fullName(command).replace(/^gc /, '')] ?? []
  return lines.length === 0 ? [] : ['.SH EXAMPLES', '.nf', ...lines.map(roff), '.fi']
}

function inheritedOptions({ parent }: Command): ReturnType<ReturnType<Command['createHelp']>['visibleOptions']> {
  if (!parent) return []
  const own = parent
    .createHelp()
    .visibleOptions(parent)
    .filter(({ long }) => long !== '--help')
  return [...own, ...inheritedOptions(parent)]
}

const section = (title: string, entries: readonly (readonly [string, string])[]): string[] =>
  entries.length === 0
    ? []
    : [
        `.SH ${title}`,
        ...entries.flatMap(([term, description]) => ['.TP', `.B ${roff(term)}`, text(description || term)]),
      ]

/** Text in which nothing is a request of troff. */
const roff = (words: string): string => words.replaceAll('\\', '\\e').replaceAll('-', '\\-')

/** Lines of text, none of which begins as a request does. */
const text = (words: string): string =>
  roff(words.trim())
    .split(/\n+/)
    .map((line) => line.trim().replace(/^[.']/, '\\&$&'))
    .join('\n')
