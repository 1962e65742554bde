import type { Command } from 'commander'
import { createBaseProgram } from './base-program.ts'
import { accountCommands } from './commands/account.ts'
import { agentCommands } from './commands/agent.ts'
import { apiCommand } from './commands/api.ts'
import { attentionCommands } from './commands/attention.ts'
import { backupCommands } from './commands/backup.ts'
import { beadCommands } from './commands/bead.ts'
import { budgetCommands } from './commands/budget.ts'
import { cityCommands, cityShortcuts } from './commands/city.ts'
import { cityControlCommands } from './commands/city-control.ts'
import { completionCommands } from './commands/completion.ts'
import { configCommands } from './commands/config.ts'
import { confineCommand } from './commands/confine.ts'
import { convoyCommands } from './commands/convoy.ts'
import { doctorCommand } from './commands/doctor.ts'
import { eventsCommand } from './commands/events.ts'
import { graphCommand } from './commands/graph.ts'
import { handoffCommand } from './commands/handoff.ts'
import { helpCommand } from './commands/help.ts'
import { hookCommand } from './commands/hook.ts'
import { importCommands } from './commands/import.ts'
import { laterCommands, storageCommands } from './commands/later.ts'
import { lintCommand } from './commands/lint.ts'
import { logsCommand } from './commands/logs.ts'
import { mailCommands } from './commands/mail.ts'
import { manCommand } from './commands/man.ts'
import { nudgeCommand } from './commands/nudge.ts'
import { openapiCommand } from './commands/openapi.ts'
import { packCommands } from './commands/pack.ts'
import { primeCommand } from './commands/prime.ts'
import { readinessCommand } from './commands/readiness.ts'
import { readyCommand } from './commands/ready.ts'
import { reloadCommand } from './commands/reload.ts'
import { rigCommands } from './commands/rig.ts'
import { runtimeCommands } from './commands/runtime.ts'
import { serveCommand } from './commands/serve.ts'
import { serverCommands } from './commands/server.ts'
import { serviceCommands } from './commands/service.ts'
import { sessionCommands } from './commands/session.ts'
import { skillCommands } from './commands/skill.ts'
import { slingCommand } from './commands/sling.ts'
import { socialCommands } from './commands/social.ts'
import { supervisorCommands } from './commands/supervisor.ts'
import { uninstallCommand } from './commands/uninstall.ts'
import { upgradeCommand } from './commands/upgrade.ts'
import { usageCommand } from './commands/usage.ts'
import { versionCommand, versionLine } from './commands/version.ts'
import { waitCommands } from './commands/wait.ts'
import { webhookCommands } from './commands/webhook.ts'
import { worktreeCommands } from './commands/worktree.ts'
import { CommandContext } from './context/context.ts'
import { readShape } from './context/format.ts'
import { externalMessageCommands } from './extmsg/extmsg.ts'
import { formulaCommands } from './formulas/formula.ts'
import type { Io } from './io/io.ts'
import { readLine } from './io/line.ts'
import { type JsonShape, shapeJson } from './io/shape-json.ts'
import { rejectEmptyNames } from './names/empty-names.ts'
import { qualifyAgents } from './names/rig-agents.ts'
import { orderCommands } from './orders/order.ts'
import { runCommands } from './runs/run.ts'
import { workflowCommands } from './runs/workflow.ts'

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
