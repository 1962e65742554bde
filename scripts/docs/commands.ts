import type { Command, Help, Option } from 'commander'
import { createBd } from '../../cli/bd/program.ts'
import { afterHelp, documented, fullName } from '../../cli/help/page.ts'
import type { Io } from '../../cli/io/io.ts'
import { createProgram } from '../../cli/program.ts'
import { contents } from './markdown.ts'

/** An environment in which defining commands prints and reads nothing. */
const SILENT: Io = {
  ...{ env: {}, cwd: '/', width: undefined, colour: false, isInteractive: false },
  signal: new AbortController().signal,
  out: () => undefined,
  outBytes: () => undefined,
  err: () => undefined,
  readInput: async () => '',
  readLine: async () => undefined,
}

/** The page of all commands of gc and bd, with their arguments, options and examples. */
export async function commandsPage(): Promise<string> {
  const gc = await createProgram(SILENT)
  const bd = await createBd(SILENT)
  const common = commonOptions([gc, bd].flatMap(documented))
  const sections = [gc, bd].map((program) => programSection(program, common)).join('\n')
  return `# Commands

You want to know a command and its options. \`gc <command> --help\` prints the same for one command, and \`gc man\` its
manual page. [Command line](command-line.md) explains output and exit status.

This page is generated from the program.

${contents(sections)}

## Common options

Many commands share these options, which their sections only name:

${[...common].map(([text]) => text).join('\n')}

${sections}`
}
/** Commands from which on an option is described once. */
const COMMON = 20

/** The options that many commands share, as list items, with their flags. */
function commonOptions(commands: readonly Command[]): ReadonlyMap<string, string> {
  const all = commands.flatMap((command) => {
    const help = command.createHelp()
    return visibleOptions(help, command).map((each) => [optionItem(each, help), help.optionTerm(each)] as const)
  })
  const counts = Map.groupBy(all, ([text]) => text)
  return new Map(all.filter(([text]) => (counts.get(text)?.length ?? 0) >= COMMON))
}

/** A program with its global options, and its commands in groups as its help lists them. */
function programSection(program: Command, common: ReadonlyMap<string, string>): string {
  const help = program.createHelp()
  const groups = help.groupItems([...program.commands], help.visibleCommands(program), (each) => each.helpGroup() ?? '')
  const sections = [...groups].map(([heading, commands]) => {
    const title = heading.replace(/:$/, '')
    const all = commands.filter((each) => program.commands.includes(each) && each.name() !== 'help').flatMap(documented)
    return `${program.name() === 'bd' ? '' : `## ${title || 'Commands'}\n\n`}${all.map((each) => commandSection(each, common)).join('\n')}`
  })
  const global = visibleOptions(help, program).map((each) => optionItem(each, help))
  const title = `## ${program.name() === 'bd' ? 'bd: work on beads from prompts' : 'Options of every command'}\n`
  return [title, `${global.join('\n')}\n`, ...sections].join('\n')
}

const visibleOptions = (help: Help, command: Command): Option[] =>
  help.visibleOptions(command).filter(({ long }) => long !== '--help')

/** One command: its line, its purpose, its arguments and options, and what its help adds. */
function commandSection(command: Command, common: ReadonlyMap<string, string>): string {
  const help = command.createHelp()
  const usage = `${fullName(command)} ${command.usage()}`.replace(/ \[(?:options|command)\]/g, '').trim()
  const aliases = command.aliases().map((alias) => `\`${alias}\``)
  const args = help
    .visibleArguments(command)
    .filter((each) => help.argumentDescription(each) !== '')
    .map((each) => `- \`<${each.name()}>\`: ${line(help.argumentDescription(each))}`)
  const options = visibleOptions(help, command).map((each) => optionItem(each, help))
  const shared = options
    .flatMap((text) => common.get(text) ?? [])
    .map((term) => `\`${term.replace(/^-\w, | <.*$/g, '')}\``)
  const also = afterHelp(command).trim()
  return [
    `### ${fullName(command)}`,
    `\`${usage}\``,
    `${sentence(command.description())}${aliases.length > 0 ? ` Also called ${aliases.join(', ')}.` : ''}`,
    [...args, ...options.filter((text) => !common.has(text))].join('\n'),
    shared.length === 0 ? '' : `Also: ${joined(shared)}.`,
    // The list of topics is the index of the manual.
    also === '' || command.name() === 'help' ? '' : `\`\`\`text\n${also}\n\`\`\``,
  ]
    .filter((part) => part !== '')
    .map((part) => `${part}\n`)
    .join('\n')
}

const optionItem = (option: Option, help: Help): string =>
  `- \`${help.optionTerm(option)}\`: ${line(help.optionDescription(option))}`

const joined = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

/** Text on one line that is not markup. */
const line = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/[<>*_[\]](?![^`]*`)/g, '\\$&')
    .trim()

const sentence = (text: string): string => {
  const one = line(text)
  return one === '' ? '' : one.charAt(0).toUpperCase() + one.slice(1) + (/[.!?]$/.test(one) ? '' : '.')
}
