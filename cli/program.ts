import { Command } from 'commander'
import { agentCommands } from './commands/agent.ts'
import { attentionCommands } from './commands/attention.ts'
import { backupCommands } from './commands/backup.ts'
import { beadCommands } from './commands/bead.ts'
import { budgetCommands } from './commands/budget.ts'
import { cityCommands, cityShortcuts } from './commands/city.ts'
import { convoyCommands } from './commands/convoy.ts'
import { eventsCommand } from './commands/events.ts'
import { handoffCommand } from './commands/handoff.ts'
import { hookCommand } from './commands/hook.ts'
import { mailCommands } from './commands/mail.ts'
import { nudgeCommand } from './commands/nudge.ts'
import { openapiCommand } from './commands/openapi.ts'
import { primeCommand } from './commands/prime.ts'
import { readinessCommand } from './commands/readiness.ts'
import { rigCommands } from './commands/rig.ts'
import { runtimeCommands } from './commands/runtime.ts'
import { serveCommand } from './commands/serve.ts'
import { serverCommands } from './commands/server.ts'
import { sessionCommands } from './commands/session.ts'
import { slingCommand } from './commands/sling.ts'
import { socialCommands } from './commands/social.ts'
import { usageCommand } from './commands/usage.ts'
import { versionCommand } from './commands/version.ts'
import { waitCommands } from './commands/wait.ts'
import { worktreeCommands } from './commands/worktree.ts'
import { Here } from './context/context.ts'
import type { Io } from './io/io.ts'
import { configureProgram } from './io/run.ts'

/** The `gc` program: its commands in the order that help shows them. */
export function createProgram(io: Io): Command {
  const program = configureProgram(new Command('gc'), io)
    .description('Supervises cities of coding agents.')
    .option('--city <city>', 'the city to work in: its name or its folder')
    .configureHelp({ showGlobalOptions: true })
  const here = new Here(io, program)
  program.commandsGroup('Supervisor:')
  serveCommand(program, here)
  serverCommands(program, here)
  program.commandsGroup('Cities:')
  cityShortcuts(program, here)
  cityCommands(program, here)
  backupCommands(program, here)
  program.commandsGroup('Work:')
  slingCommand(program, here)
  beadCommands(program, here)
  convoyCommands(program, here)
  mailCommands(program, here)
  waitCommands(program, here)
  eventsCommand(program, here)
  program.commandsGroup('Agents:')
  rigCommands(program, here)
  agentCommands(program, here)
  sessionCommands(program, here)
  usageCommand(program, here)
  budgetCommands(program, here)
  readinessCommand(program, here)
  attentionCommands(program, here)
  nudgeCommand(program, here)
  worktreeCommands(program, here)
  socialCommands(program, here)
  program.commandsGroup('Inside a session:')
  hookCommand(program, here)
  primeCommand(program, here)
  runtimeCommands(program, here)
  handoffCommand(program, here)
  program.command('bd').description('the bead commands that agents’ prompts know; also found as the program `bd`')
  program.commandsGroup('About:')
  versionCommand(program, io)
  openapiCommand(program, here)
  program.helpCommand('help [command]', 'display help for command')
  return program
}
