import type { Command } from 'commander'
import { readSupervisorFile, resolveHome } from '../../src/client/home.ts'
import { reload } from '../city/reload.ts'
import type { CommandContext } from '../context/context.ts'
import { envelope } from '../context/envelope.ts'
import { ensureSupervisor, isAnswering, waitForCities } from '../context/launch-supervisor.ts'
import { collectList, type JsonOption, withJson } from '../context/options.ts'
import { type WatchOption, withWatch } from '../context/watch.ts'
import { Exit } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { defineSupervisorLogs } from '../logs/logs.ts'
import type { AddPersonOptions } from '../people/people.ts'
import { findManager, isEnabled } from '../unit/manager.ts'
import { defineServe, parsePort } from './serve.ts'
import { defineDown } from './server.ts'
import { unitCommands } from './unit.ts'

/** The supervisor as a service of this machine. */
export function supervisorCommands(program: Command, context: CommandContext): void {
  defineStart(program.command('up'), context)
  const supervisor = program.command('supervisor').description('manage the supervisor as a service')
  defineServe(supervisor.command('run'), context)
  defineStart(supervisor.command('start'), context)
  defineDown(
    supervisor
      .command('stop')
      .option('--wait', 'accepted: gc always waits')
      .option('--wait-timeout <duration>', 'accepted: use --timeout'),
    context,
  )
  withJson(supervisor.command('status').description('show whether the supervisor runs; status 1 if not')).action(
    (options: JsonOption) => status(context, options),
  )
  withJson(supervisor.command('reload').description('reload the configuration of every city')).action(
    async (options: JsonOption) => {
      for (const { name, running } of await context.cities())
        if (running) await reload(context, context.client.city(name), options)
    },
  )
  defineSupervisorLogs(supervisor.command('logs'), context)
  unitCommands(supervisor, context)
}

/** People who have a token of their own. */
export function peopleCommands(program: Command, context: CommandContext): void {
  const people = program.command('people').description('manage tokens of people who read, answer, review and land')
  const actions = () => import('../people/people.ts')
  withJson(people.command('add').description('create a token for a person; it is shown once'))
    .argument('<name>')
    .option('--grant <grants>', 'grants besides reading: answer, review, land', collectList)
    .addHelpText(
      'after',
      '\nThe person sets GC_TOKEN to the token, and GC_URL to the address of this supervisor. Unless that requires a token' +
        '\nof everybody (gc serve --require-token), people on this machine can leave theirs out and pass as you.',
    )
    .action(async (name: string, options: AddPersonOptions) => (await actions()).addPerson(context, name, options))
  withWatch(withJson(people.command('list').description('list people and their grants'))).action(
    async (options: JsonOption & WatchOption) => (await actions()).listPeople(context, options),
  )
  withJson(people.command('remove').description('revoke the token of a person'))
    .argument('<person>')
    .action(async (name: string, options: JsonOption) => (await actions()).removePerson(context, name, options))
}

/** Defines the command that starts the supervisor in the background. */
function defineStart(command: Command, context: CommandContext): void {
  withJson(command.description('start the supervisor in the background'))
    .option('--port <port>', 'port to listen on; 0 for any free port', parsePort)
    .action(async (options: JsonOption & { port?: number }) => {
      const started = await ensureSupervisor(context, options.port)
      const current = context.renewed()
      if (started) await waitForCities(current)
      const { url } = current.client.access
      const message = started ? `The supervisor is up at ${url}.` : `A supervisor runs at ${url}.`
      if (options.json)
        return printJson(
          context.io,
          envelope({ command: command.name() === 'up' ? 'up' : 'supervisor start', message, url }),
        )
      printLine(context.io, message)
    })
}

async function status(context: CommandContext, options: JsonOption): Promise<void> {
  const { io } = context
  const running = await isAnswering(context)
  const pid = readSupervisorFile(resolveHome(io.env))?.pid
  const { url } = context.client.access
  const manager = findManager(io)
  const enabled = manager && isEnabled(manager)
  if (options.json) {
    const unit = enabled === undefined ? undefined : { path: manager?.file, enabled }
    printJson(
      io,
      envelope({ command: 'supervisor status', running, ...(running && { pid }), url, unit, checked_paths: [url] }),
    )
  } else {
    printLine(io, running ? `The supervisor runs at ${url} (process ${pid ?? '?'}).` : 'No supervisor runs.')
    if (enabled) printLine(io, `The system starts it at login: ${manager?.file}.`)
    if (enabled === false) printLine(io, `${manager?.file} is there, but not enabled: \`systemctl --user enable gc\`.`)
  }
  if (!running) throw new Exit(1)
}
