import { EventEmitter } from 'node:events'
import type { Command } from 'commander'

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

/** Text at the end of a command's help, such as examples. */
export function afterHelp(command: Command): string {
  const added: string[] = []
  // The declarations of commander leave out that a command is an emitter.
  if (command instanceof EventEmitter)
    command.emit('afterHelp', { error: false, command, write: (text: string) => added.push(text) })
  return added.join('')
}

/** The manual page of a command, made from what it declares; `date` is that of the page. */
export function manualPage(command: Command, version: string, date: string): string {
  const help = command.createHelp()
  const inner = documented(command).filter((each) => each.parent === command)
  const own = help.visibleOptions(command)
  const around = inheritedOptions(command)
  // The program and its list of topics name pages that are not manual pages.
  const notes = command.parent && command.name() !== 'help' ? afterHelp(command).trim().split('\n').filter(Boolean) : []
  const found = notes.indexOf('Examples:')
  const examples = found === -1 ? notes.length : found
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
    ...verbatim('NOTES', notes.slice(0, examples)),
    ...verbatim('EXAMPLES', notes.slice(examples + 1)),
    ...(seeAlso.length === 0 ? [] : ['.SH SEE ALSO', seeAlso.map((each) => `${roff(pageName(each))}(1)`).join(',\n')]),
    '',
  ].join('\n')
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

const verbatim = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`.SH ${title}`, '.nf', ...lines.map(protect), '.fi']

/** Text in which nothing is a request of troff. */
const roff = (words: string): string => words.replaceAll('\\', '\\e').replaceAll('-', '\\-')

/** Lines of text, none of which begins as a request does. */
const text = (words: string): string =>
  roff(words.trim())
    .split(/\n+/)
    .map((line) => line.trim().replace(/^[.']/, '\\&$&'))
    .join('\n')

/** A line that is set as it is written. */
const protect = (line: string): string => roff(line).replace(/^[.']/, '\\&$&')
