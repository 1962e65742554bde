import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { BD_VALUED, compatibleBdCommands } from '../compatibility.ts'
import { CommandContext } from '../context/context.ts'
import { commit, version } from '../context/version.ts'
import { formulaCommands } from '../formula/formula.ts'
import type { Io } from '../io/io.ts'
import { configureProgram } from '../io/run.ts'
import { blockedCommand } from './blocked.ts'
import { closeCommands } from './close.ts'
import { commentCommands } from './comment.ts'
import { BdContext, type BdOptions } from './context.ts'
import { createCommand } from './create.ts'
import { dependencyCommands } from './dep.ts'
import { gateCommands } from './gate.ts'
import { labelCommands } from './label.ts'
import { listCommands } from './list.ts'
import { markCommands } from './mark.ts'
import { moleculeCommands } from './mol.ts'
import { primeCommand } from './prime.ts'
import { searchCommand } from './search.ts'
import { showCommand } from './show.ts'
import { tierCommands } from './tier.ts'
import { holdingCommands, updateCommands } from './update.ts'

/** The version of `bd` that this program is compatible with. */
const BD_VERSION = '1.0.5'

/** The `bd` program for some words: the bead commands that agents' prompts use. */
export async function createBd(given: Io, args: readonly string[] = []): Promise<Command> {
  const io: Io & { cwd: string } = { ...given }
  const program = configureProgram(new Command('bd'), io)
    .description('Work with the beads of the city.')
    .option('--city <city>', 'city to work in: its name or folder')
    .option('--rig <rig>', 'rig of the beads')
    .option('-C, --directory <folder>', 'working folder; in a rig, work on its beads')
    .option('--dir <folder>', 'same as --directory')
    .option('--db <path>', 'path in the rig to work on')
    .option('--readonly', 'reject every change')
    .option('--json', 'print JSON')
  for (const flags of IGNORED) program.addOption(new Option(flags).hideHelp())
  const context = new CommandContext(io, program)
  const bd = new BdContext(context, program)
  program.hook('preAction', (_, command) => {
    const { dir, directory = dir, readonly } = program.opts<BdOptions>()
    if (directory !== undefined) io.cwd = resolve(given.cwd, directory)
    const name = nameOf(command)
    shareOptions(program, command)
    if (readonly && !READING.has(name)) throw bd.print.failure(`bd ${name} changes beads, which --readonly prevents`)
  })
  defineCommands(program, bd, context)
  // The others are loaded only for what needs them: agents call the common ones often.
  if (!isDefined(program, args)) (await import('./more.ts')).moreCommands(program, bd, context)
  versionCommand(program, bd)
  compatibleBdCommands(program, (json, line) => (json ? bd.printer(true).value(json) : bd.print.line(line)))
  return program
}

/** True if the first word behind the options is one of the commands that are there. */
function isDefined({ commands }: Command, args: readonly string[]): boolean {
  let at = 0
  for (let word = args[at]; word?.startsWith('-'); word = args[at]) at += BD_VALUED.has(word) ? 2 : 1
  const name = args[at] ?? ''
  return commands.some((command) => command.name() === name || command.aliases().includes(name))
}

const nameOf = (command: Command): string =>
  command.parent?.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name()

/** An option of `bd` anywhere on the line is for the command, if that has one of the same name. */
function shareOptions(program: Command, command: Command): void {
  for (const [name, value] of Object.entries(program.opts<Record<string, unknown>>())) {
    const isTaken = command !== program && command.options.some((option) => option.attributeName() === name)
    if (isTaken && value !== undefined) command.setOptionValue(name, value)
  }
}

/** Options of `bd` that choose among storages, or have no other effect here. */
const IGNORED = [
  '--actor <who>',
  '--sandbox',
  '--no-daemon',
  '--no-auto-flush',
  '--no-auto-import',
  '--allow-stale',
  '--profile',
  '--global',
  '-q, --quiet',
  '-v, --verbose',
]

/** The commands that change nothing. */
const READING: ReadonlySet<string> = new Set([
  ...['blocked', 'children', 'comments', 'comments list', 'context', 'count', 'dep cycles', 'dep list', 'dep tree'],
  ...['doctor', 'epic status', 'export', 'formula list', 'formula show', 'gate list', 'gate show', 'graph', 'history'],
  ...['human list', 'human stats', 'info', 'kv get', 'kv list', 'label list', 'label list-all', 'list', 'memories'],
  ...[
    'mol current',
    'mol progress',
    'mol show',
    'mol wisp list',
    'ping',
    'prime',
    'query',
    'ready',
    'recall',
    'search',
  ],
  ...['show', 'stale', 'state', 'state get', 'state list', 'status', 'statuses', 'types', 'version', 'where'],
])

function defineCommands(program: Command, bd: BdContext, context: CommandContext): void {
  listCommands(program, bd)
  searchCommand(program, bd)
  showCommand(program, bd)
  createCommand(program, bd)
  updateCommands(program, bd)
  holdingCommands(program, bd)
  closeCommands(program, bd)
  dependencyCommands(program, bd)
  commentCommands(program, bd)
  labelCommands(program, bd)
  blockedCommand(program, bd)
  markCommands(program, bd)
  gateCommands(program, bd)
  moleculeCommands(program, bd)
  tierCommands(program, bd)
  formulaCommands(program, context)
  primeCommand(program, bd)
}

function versionCommand(program: Command, bd: BdContext): void {
  const line = `bd version ${BD_VERSION} (gc ${version}, ${commit})`
  program.version(line, '-V, --version', 'print the version')
  program
    .command('version')
    .description('print the version')
    .action(() => {
      const { print } = bd
      if (print.json) return print.value({ version: BD_VERSION, build: commit, branch: `gc ${version}` })
      print.line(line)
    })
}
