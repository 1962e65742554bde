import type { Command } from 'commander'
import { createBaseProgram, groupDaily } from './base-program.ts'
import { CommandContext } from './context/context.ts'
import { readShape } from './context/json-options.ts'
import { versionLine } from './help/version.ts'
import { readLine } from './io/command-line.ts'
import { formattingJson, type Io } from './io/io.ts'
import { type JsonShape, shapeJson } from './io/shape-json.ts'
import { rejectEmptyNames } from './names/empty-names.ts'
import { qualifyAgents } from './names/qualify-agents.ts'
import { splitGlobals } from './pack-commands/match.ts'

type DefineCommands = (program: Command, context: CommandContext) => void

/** A module that defines commands, and their first words. */
type Definition = readonly [words: string, load: () => Promise<DefineCommands>]

/** The definitions in the order of the help. Only those that a command line names are loaded. */
const GROUPS: Readonly<Record<string, readonly Definition[]>> = {
  'Supervisor:': [
    ['confine', async () => (await import('./confine/confine.ts')).confineCommand],
    ['serve', async () => (await import('./supervisor/serve.ts')).serveCommand],
    ['down host dashboard tui', async () => (await import('./supervisor/server.ts')).serverCommands],
    ['up supervisor', async () => (await import('./supervisor/supervisor.ts')).supervisorCommands],
    ['people', async () => (await import('./supervisor/supervisor.ts')).peopleCommands],
    ['logs', async () => (await import('./logs/logs.ts')).logsCommand],
    ['upgrade', async () => (await import('./upgrade/upgrade.ts')).upgradeCommand],
    ['uninstall', async () => (await import('./uninstall/uninstall.ts')).uninstallCommand],
  ],
  'Cities:': [
    [
      'init cities status register unregister suspend resume',
      async () => (await import('./city/city.ts')).cityShortcuts,
    ],
    ['start stop restart', async () => (await import('./city/control.ts')).cityControlCommands],
    ['city', async () => (await import('./city/city.ts')).cityCommands],
    ['backup restore', async () => (await import('./backup/backup.ts')).backupCommands],
    ['config', async () => (await import('./config/config.ts')).configCommands],
    ['import', async () => (await import('./import/import.ts')).importCommands],
    ['pack', async () => (await import('./pack/pack.ts')).packCommands],
    ['service', async () => (await import('./service/service.ts')).serviceCommands],
    ['lint', async () => (await import('./config/lint.ts')).lintCommand],
    ['reload', async () => (await import('./city/reload.ts')).reloadCommand],
    ['doctor', async () => (await import('./doctor/doctor.ts')).doctorCommand],
  ],
  'Work:': [
    ['sling', async () => (await import('./sling/sling.ts')).slingCommand],
    ['bead beads', async () => (await import('./bead/bead.ts')).beadCommands],
    ['ready', async () => (await import('./bead/ready.ts')).readyCommand],
    ['graph', async () => (await import('./bead/graph.ts')).graphCommand],
    ['formula', async () => (await import('./formula/formula.ts')).formulaCommands],
    ['run', async () => (await import('./run/run.ts')).runCommands],
    ['order', async () => (await import('./order/order.ts')).orderCommands],
    ['workflow', async () => (await import('./workflow/workflow.ts')).workflowCommands],
    ['convoy', async () => (await import('./convoy/convoy.ts')).convoyCommands],
    ['mail', async () => (await import('./mail/mail.ts')).mailCommands],
    ['extmsg', async () => (await import('./extmsg/extmsg.ts')).externalMessageCommands],
    ['webhook', async () => (await import('./webhook/webhook.ts')).webhookCommands],
    ['wait', async () => (await import('./wait/wait.ts')).waitCommands],
    ['events event', async () => (await import('./events/events.ts')).eventsCommand],
  ],
  'Agents:': [
    ['rig', async () => (await import('./rig/rig.ts')).rigCommands],
    ['agent', async () => (await import('./agent/agent.ts')).agentCommands],
    ['session', async () => (await import('./session/session.ts')).sessionCommands],
    ['skill', async () => (await import('./skill/skill.ts')).skillCommands],
    ['usage costs', async () => (await import('./budget/usage.ts')).usageCommand],
    ['budget', async () => (await import('./budget/budget.ts')).budgetCommands],
    ['account limits', async () => (await import('./account/account.ts')).accountCommands],
    ['readiness', async () => (await import('./doctor/readiness.ts')).readinessCommand],
    ['attention', async () => (await import('./attention/attention.ts')).attentionCommands],
    ['rule', async () => (await import('./attention/attention.ts')).ruleCommands],
    ['nudge', async () => (await import('./nudge/nudge.ts')).nudgeCommand],
    ['worktree', async () => (await import('./worktree/worktree.ts')).worktreeCommands],
    ['review', async () => (await import('./review/review.ts')).reviewCommands],
    ['land', async () => (await import('./land/land.ts')).landCommands],
    ['social', async () => (await import('./social/social.ts')).socialCommands],
  ],
  'Inside a session:': [
    ['hook', async () => (await import('./hook/hook.ts')).hookCommand],
    ['prime', async () => (await import('./hook/prime.ts')).primeCommand],
    ['runtime', async () => (await import('./runtime/runtime.ts')).runtimeCommands],
    ['handoff', async () => (await import('./session/handoff.ts')).handoffCommand],
    ['bd', async () => bdCommand],
  ],
  'About:': [
    ['version', async () => (await import('./help/version.ts')).versionCommand],
    ['api', async () => (await import('./api/api.ts')).apiCommand],
    ['openapi', async () => (await import('./api/openapi.ts')).openapiCommand],
    ['completion __complete', async () => (await import('./completion/completion.ts')).completionCommands],
    ['man', async () => (await import('./help/man.ts')).manCommand],
    [
      'beads config pack order convoy events event rig agent session nudge runtime context build-image dolt dolt-cleanup dolt-config dolt-state maintenance metrics shell storage trace wisp agent-script converge github login logout mcp prompt whoami',
      async () => (await import('./compatibility.ts')).compatibleCommands,
    ],
    ['help', async () => (await import('./help/help.ts')).helpCommand],
  ],
}

/** The first words of all commands. */
export const COMMAND_WORDS: ReadonlySet<string> = new Set(
  Object.values(GROUPS).flatMap((definitions) => definitions.flatMap(([words]) => words.split(' '))),
)

/** Commands that are about all commands. */
const ABOUT_ALL: ReadonlySet<string> = new Set(['help', 'completion', '__complete', 'man'])

/** The `gc` program for a command line: with the commands that it names, or all if it names none. */
export async function createProgram(io: Io, args: readonly string[] = []): Promise<Command> {
  const program = createBaseProgram(io)
    .helpCommand(false)
    .addHelpText('after', '\n`gc help getting-started` is the place to start. `gc help help` lists all topics.')
    .hook('preAction', shareRig)
    .hook('preAction', (_, command) => shareOptions(command))
    .hook('preAction', async (_, command) => {
      rejectEmptyNames(command)
      shape = await readShape(command)
      await qualifyAgents(context, program, command)
    })
  let shape: JsonShape = {}
  const context = new CommandContext(
    formattingJson(io, (value) => shapeJson(io, value, shape)),
    program,
  )
  const named = splitGlobals(args).words.find((word) => !word.startsWith('-')) ?? ''
  const isAll = ABOUT_ALL.has(named) || !COMMAND_WORDS.has(named)
  for (const [heading, definitions] of Object.entries(GROUPS)) {
    const wanted = definitions.filter(([words]) => isAll || words.split(' ').includes(named))
    if (wanted.length > 0) program.commandsGroup(heading)
    for (const define of await Promise.all(wanted.map(([, load]) => load()))) define(program, context)
  }
  groupDaily(program)
  if (isAll || args.some((word) => word === '-h' || word === '--help')) {
    const { addExamples } = await import('./help/examples.ts')
    addExamples(program)
  }
  // An option of the program is taken out of the words of every command: `gc import add` has a --version of its own.
  if (!hasOption(readLine(program, args).command, '--version')) {
    program.version(versionLine, '-V, --version', 'print the version of this program')
  }
  return program
}

/** Lists `gc bd` in the help; `run-command.ts` runs it. */
function bdCommand(program: Command): void {
  program.command('bd').description('run the bead commands of prompts; also called `bd`')
}

/** A `--rig` anywhere on the command line is for the command, if that has one. */
function shareRig(program: Command, command: Command): void {
  const { rig } = program.opts<{ rig?: string }>()
  const takesRig = command.options.some((option) => option.attributeName() === 'rig')
  if (rig !== undefined && takesRig && command !== program) command.setOptionValue('rig', rig)
}

/** Options that a command has in common with the group around it: the group reads them wherever they are. */
function shareOptions(command: Command): void {
  const { parent } = command
  for (const key of command.options.map((option) => option.attributeName())) {
    if (parent?.parent && command.getOptionValue(key) === undefined && parent.getOptionValueSource(key) === 'cli')
      command.setOptionValueWithSource(key, parent.getOptionValue(key), 'cli')
  }
}

const hasOption = (command: Command, flag: string): boolean => command.options.some(({ long }) => long === flag)
