import type { Command } from 'commander'
import { accountCommands } from './account/account.ts'
import { agentCommands } from './agent/agent.ts'
import { apiCommand } from './api/api.ts'
import { openapiCommand } from './api/openapi.ts'
import { attentionCommands } from './attention/attention.ts'
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
import { completionCommands } from './completion/completion.ts'
import { configCommands } from './config/config.ts'
import { lintCommand } from './config/lint.ts'
import { confineCommand } from './confine/confine.ts'
import { CommandContext } from './context/context.ts'
import { readShape } from './context/format.ts'
import { convoyCommands } from './convoy/convoy.ts'
import { doctorCommand } from './doctor/command.ts'
import { readinessCommand } from './doctor/readiness.ts'
import { eventsCommand } from './events/events.ts'
import { externalMessageCommands } from './extmsg/extmsg.ts'
import { formulaCommands } from './formula/formula.ts'
import { helpCommand } from './help/help.ts'
import { manCommand } from './help/man.ts'
import { versionCommand, versionLine } from './help/version.ts'
import { hookCommand } from './hook/hook.ts'
import { primeCommand } from './hook/prime.ts'
import { runtimeCommands } from './hook/runtime.ts'
import { importCommands } from './import/import.ts'
import type { Io } from './io/io.ts'
import { readLine } from './io/line.ts'
import { type JsonShape, shapeJson } from './io/shape-json.ts'
import { laterCommands, storageCommands } from './later.ts'
import { logsCommand } from './logs/command.ts'
import { mailCommands } from './mail/mail.ts'
import { rejectEmptyNames } from './names/empty-names.ts'
import { qualifyAgents } from './names/rig-agents.ts'
import { orderCommands } from './order/order.ts'
import { packCommands } from './pack/pack.ts'
import { skillCommands } from './pack/skill.ts'
import { rigCommands } from './rig/rig.ts'
import { runCommands } from './run/run.ts'
import { workflowCommands } from './run/workflow.ts'
import { serviceCommands } from './service/service.ts'
import { handoffCommand } from './session/handoff.ts'
import { nudgeCommand } from './session/nudge.ts'
import { sessionCommands } from './session/session.ts'
import { worktreeCommands } from './session/worktree.ts'
import { slingCommand } from './sling/sling.ts'
import { socialCommands } from './social/social.ts'
import { serveCommand } from './supervisor/serve.ts'
import { serverCommands } from './supervisor/server.ts'
import { supervisorCommands } from './supervisor/supervisor.ts'
import { uninstallCommand } from './uninstall/uninstall.ts'
import { upgradeCommand } from './upgrade/upgrade.ts'
import { waitCommands } from './wait/wait.ts'
import { webhookCommands } from './webhook/webhook.ts'

/** The `gc` program for some words: its commands in the order of its help. */
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
  program.commandsGroup('Supervisor:')
  confineCommand(program, context)
  serveCommand(program, context)
  serverCommands(program, context)
  supervisorCommands(program, context)
  logsCommand(program, context)
  upgradeCommand(program, context)
  uninstallCommand(program, context)
  program.commandsGroup('Cities:')
  cityShortcuts(program, context)
  cityControlCommands(program, context)
  cityCommands(program, context)
  backupCommands(program, context)
  configCommands(program, context)
  importCommands(program, context)
  packCommands(program, context)
  serviceCommands(program, context)
  lintCommand(program, context)
  reloadCommand(program, context)
  doctorCommand(program, context)
  program.commandsGroup('Work:')
  slingCommand(program, context)
  beadCommands(program, context)
  readyCommand(program, context)
  graphCommand(program, context)
  formulaCommands(program, context)
  runCommands(program, context)
  orderCommands(program, context)
  workflowCommands(program, context)
  convoyCommands(program, context)
  mailCommands(program, context)
  externalMessageCommands(program, context)
  webhookCommands(program, context)
  waitCommands(program, context)
  eventsCommand(program, context)
  program.commandsGroup('Agents:')
  rigCommands(program, context)
  agentCommands(program, context)
  sessionCommands(program, context)
  skillCommands(program, context)
  usageCommand(program, context)
  budgetCommands(program, context)
  accountCommands(program, context)
  readinessCommand(program, context)
  attentionCommands(program, context)
  nudgeCommand(program, context)
  worktreeCommands(program, context)
  socialCommands(program, context)
  program.commandsGroup('Inside a session:')
  hookCommand(program, context)
  primeCommand(program, context)
  runtimeCommands(program, context)
  handoffCommand(program, context)
  program.command('bd').description('the bead commands of agents’ prompts; also the program `bd`')
  program.commandsGroup('About:')
  versionCommand(program, io)
  apiCommand(program, context)
  openapiCommand(program, context)
  completionCommands(program, context)
  manCommand(program, context)
  laterCommands(program)
  storageCommands(program, context)
  program.helpCommand(false)
  helpCommand(program, context)
  // An option of the program is taken out of the words of every command: `gc import add` has a --version of its own.
  if (!hasOption(readLine(program, args).command, '--version')) {
    program.version(versionLine, '-V, --version', 'print the version of this program')
  }
  return program
}

/** A `--rig` anywhere on the command line is for the command, if that has one. */
function shareRig(program: Command, command: Command): void {
  const { rig } = program.opts<{ rig?: string }>()
  const takesRig = command.options.some((option) => option.attributeName() === 'rig')
  if (rig !== undefined && takesRig && command !== program) command.setOptionValue('rig', rig)
}

const hasOption = (command: Command, flag: string): boolean => command.options.some(({ long }) => long === flag)
