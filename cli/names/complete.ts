import type { Command } from 'commander'
import { sanitizeLine } from '../../src/client/text.ts'
import { GIVEN_STATUSES } from '../bead/status.ts'
import { type CommandLine, findOption, placeOfOption, readLine } from '../io/command-line.ts'
import { type Kind, kindsOf, type Named } from './kinds.ts'

/** A shell would take other characters for more than a part of a name. */
const SAFE = /^[\p{L}\p{N}_./:@+=-]+$/u
const MAX_ABOUT = 60
/** Placeholders for files, which a shell completes itself. */
const FILES: ReadonlySet<string> = new Set(['file', 'folder', 'path', 'command', 'source'])

/** Placeholders for words that are the same in every city. */
const WORDS = new Map<string, readonly string[]>([
  ['status', GIVEN_STATUSES],
  ['statuses', [...GIVEN_STATUSES, 'all']],
])

/** Sources of names. */
export interface Sources {
  /** The names of a kind in the city that the line is about; none when they cannot be had in time. */
  namesOf(kind: Kind, line: CommandLine): Promise<Named[]>
  /** The next words of commands that packs ship. */
  packWords(path: readonly string[]): Promise<Named[]>
}

/** Possible words at the place being typed; undefined for files. */
export async function complete(
  program: Command,
  words: readonly string[],
  sources: Sources,
): Promise<Named[] | undefined> {
  const typed = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const line = readLine(program, before)
  const [, flag = '', value] = /^(--[^=]+)=(.*)$/s.exec(typed) ?? []
  if (value !== undefined && line.takesOptions) {
    const option = findOption(line.command, flag)
    if (!option) return []
    const found = await valuesOf(sources, line, placeOfOption(option))
    return found && matching(prefixed(found, `${flag}=`), typed)
  }
  if (line.takesOptions && typed.startsWith('-')) return matching(optionsOf(line.command), typed)
  const path = before.filter((word) => !word.startsWith('-'))
  const isHelp = line.command.name() === 'help' && line.command.parent === program
  const commands = line.isValue || line.hasArguments ? [] : commandsOf(isHelp ? program : line.command)
  const ofPacks = line.command === program && !line.isValue ? await sources.packWords(path) : []
  const values = line.next && (await valuesOf(sources, line, line.next))
  const found = [...commands, ...ofPacks, ...(values ?? [])]
  const isOfPack = line.command === program && line.hasArguments
  return values || found.length > 0 || !(line.next || isOfPack) ? matching(found, typed) : undefined
}

/** The names and choices of a place; undefined when it is for files. */
async function valuesOf(
  sources: Sources,
  line: CommandLine,
  { placeholder, choices }: { placeholder: string; choices: readonly string[] },
): Promise<Named[] | undefined> {
  const words = choices.length > 0 ? choices : WORDS.get(placeholder)
  if (words) return words.map((name) => ({ name }))
  const kinds = kindsOf(placeholder)
  if (FILES.has(placeholder)) return undefined
  return (await Promise.all(kinds.map((kind) => sources.namesOf(kind, line)))).flat()
}

const prefixed = (found: readonly Named[], prefix: string): Named[] =>
  found.map(({ name, about }) => ({ name: prefix + name, about }))

const commandsOf = (command: Command): Named[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((each) => ({ name: each.name(), about: each.description() }))

/** The long options of a command, and those of the commands around it. */
function optionsOf(command: Command): Named[] {
  const help = command.createHelp()
  const own = help
    .visibleOptions(command)
    .flatMap(({ long, description }) => (long ? [{ name: long, about: description }] : []))
  return command.parent ? [...own, ...optionsOf(command.parent)] : own
}

/** Those that begin with what is typed, each once and fit to be shown. */
function matching(found: readonly Named[], typed: string): Named[] {
  const fit = found.filter(({ name }) => name.startsWith(typed) && SAFE.test(name))
  const byName = new Map(fit.map((each) => [each.name, each]))
  return [...byName.values()].map(({ name, about }) => ({ name, about: about && shorten(about) }))
}

const shorten = (about: string): string => {
  const line = sanitizeLine(about).replaceAll('\t', ' ')
  return line.length > MAX_ABOUT ? `${line.slice(0, MAX_ABOUT - 1)}…` : line
}
