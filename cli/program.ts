import type { Command } from 'commander'
import { accountCommands } from './account/account.ts'
import { agentCommands } from './agent/agent.ts'
import { apiCommand } from './api/api.ts'
import { openapiCommand } from './api/openapi.ts'
import { attentionCommands, ruleCommands } from './attention/attention.ts'
import { backupCommands } from './backup/backup.ts'
import { createBaseProgram } from './base-program.ts'
import { beadCommands } from './bead/bead.ts'
import { graphCommand } from './bead/graph.ts'
import { readyCommand } from './bead/ready.ts'
import { budgetCommands } from './budget/budget.ts'
import { usageCommand } from './budget/usage.ts'
import { cityCommands, cityShortcuts } from './city/city.ts'
import { cityControlCommands } from './city/control.ts'
import { reloadCommand } from './city/reload.ts'
import { compatibleCommands } from './compatibility.ts'
import { completionCommands } from './completion/completion.ts'
import { configCommands } from './config/config.ts'
import { lintCommand } from './config/lint.ts'
import { confineCommand } from './confine/confine.ts'
import { CommandContext } from './context/context.ts'
import { readShape } from './context/json-options.ts'
import { convoyCommands } from './convoy/convoy.ts'
import { doctorCommand } from './doctor/doctor.ts'
import { readinessCommand } from './doctor/readiness.ts'
import { eventsCommand } from './events/events.ts'
import { externalMessageCommands } from './extmsg/extmsg.ts'
import { formulaCommands } from './formula/formula.ts'
import { helpCommand } from './help/help.ts'
import { manCommand } from './help/man.ts'
import { versionCommand, versionLine } from './help/version.ts'
import { hookCommand } from './hook/hook.ts'
import { primeCommand } from './hook/prime.ts'
import { importCommands } from './import/import.ts'
import { readLine } from './io/command-line.ts'
import type { Io } from './io/io.ts'
import { type JsonShape, shapeJson } from './io/shape-json.ts'
import { logsCommand } from './logs/logs.ts'
import { mailCommands } from './mail/mail.ts'
import { rejectEmptyNames } from './names/empty-names.ts'
import { qualifyAgents } from './names/qualify-agents.ts'
import { nudgeCommand } from './nudge/nudge.ts'
import { orderCommands } from './order/order.ts'
import { packCommands } from './pack/pack.ts'
import { reviewCommands } from './review/review.ts'
import { rigCommands } from './rig/rig.ts'
import { runCommands } from './run/run.ts'
import { runtimeCommands } from './runtime/runtime.ts'
import { serviceCommands } from './service/service.ts'
import { handoffCommand } from './session/handoff.ts'
import { sessionCommands } from './session/session.ts'
import { skillCommands } from './skill/skill.ts'
import { slingCommand } from './sling/sling.ts'
import { socialCommands } from './social/social.ts'
import { serveCommand } from './supervisor/serve.ts'
import { serverCommands } from './supervisor/server.ts'
import { peopleCommands, supervisorCommands } from './supervisor/supervisor.ts'
import { uninstallCommand } from './uninstall/uninstall.ts'
import { upgradeCommand } from './upgrade/upgrade.ts'
import { waitCommands } from './wait/wait.ts'
import { webhookCommands } from './webhook/webhook.ts'
import { workflowCommands } from './workflow/workflow.ts'
import { worktreeCommands } from './worktree/worktree.ts'

type DefineCommands = (program: Command, context: CommandContext) => void

/** The commands in the order of the help. */
const GROUPS: Readonly<Record<string, readonly DefineCommands[]>> = {
  'Supervisor:': [
    confineCommand,
    serveCommand,
    serverCommands,
    supervisorCommands,
    peopleCommands,
    logsCommand,
    upgradeCommand,
    uninstallCommand,
  ],
  'Cities:': [
    cityShortcuts,
    cityControlCommands,
    cityCommands,
    backupCommands,
    configCommands,
    importCommands,
    packCommands,
    serviceCommands,
    lintCommand,
    reloadCommand,
    doctorCommand,
  ],
  'Work:': [
    slingCommand,
    beadCommands,
    readyCommand,
    graphCommand,
    formulaCommands,
    runCommands,
    orderCommands,
    workflowCommands,
    convoyCommands,
    mailCommands,
    externalMessageCommands,
    webhookCommands,
    waitCommands,
    eventsCommand,
  ],
  'Agents:': [
    rigCommands,
    agentCommands,
    sessionCommands,
    skillCommands,
    usageCommand,
    budgetCommands,
    accountCommands,
    readinessCommand,
    attentionCommands,
    ruleCommands,
    nudgeCommand,
    worktreeCommands,
    reviewCommands,
    socialCommands,
  ],
  'Inside a session:': [hookCommand, primeCommand, runtimeCommands, handoffCommand, bdCommand],
  'About:': [versionCommand, apiCommand, openapiCommand, completionCommands, manCommand, compatibleCommands],
}

/** The `gc` program for some words. */
export function createProgram(io: Io, args: readonly string[] = []): Command {
  const program = createBaseProgram(io)
    .hook('preAction', shareRig)
    .hook('preAction', async (_, command) => {
      rejectEmptyNames(command)
      shape = await readShape(command)
      await qualifyAgents(context, program, command)
    })
  let shape: JsonShape = {}
  const context = new CommandContext({ ...io, formatJson: (value) => shapeJson(io, value, shape) }, program)
  for (const [heading, commands] of Object.entries(GROUPS)) {
    program.commandsGroup(heading)
    for (const define of commands) define(program, context)
  }
  program.helpCommand(false)
  helpCommand(program, context)
  // An option of the program is taken out of the words of every command: `gc import add` has a --version of its own.
  if (!hasOption(readLine(program, args).command, '--version')) {
    program.version(versionLine, '-V, --version', 'print the version of this program')
  }
  return program
}

/** Lists `gc bd` in the help; `run-command.ts` runs it. */
function bdCommand(program: Command): void {
  program.command('bd').description('the bead commands of agents’ prompts; also the program `bd`')
}

/** A `--rig` anywhere on the command line is for the command, if that has one. */
function shareRig(program: Command, command: Command): void {
  const { rig } = program.opts<{ rig?: string }>()
  const takesRig = command.options.some((option) => option.attributeName() === 'rig')
  if (rig !== undefined && takesRig && command !== program) command.setOptionValue('rig', rig)
}

const hasOption = (command: Command, flag: string): boolean => command.options.some(({ long }) => long === flag)
