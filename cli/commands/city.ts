import { resolve } from 'node:path'
import type { Command } from 'commander'
import { ApiError } from '../../src/client/errors.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { waitForSupervisor } from '../context/outcome.ts'
import { Exit } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { printTable } from '../io/table.ts'
import { status } from './status.ts'

export function cityCommands(program: Command, context: CommandContext): void {
  const city = program.command('city').description('the cities of this supervisor')
  withJson(city.command('list').description('list the registered cities')).action((options: JsonOption) =>
    list(context, options),
  )
  statusCommand(city, context)
  registerCommand(city, context)
  unregisterCommand(city, context)
  suspensionCommands(city, context)
}

/** The city commands that also exist at the top level. */
export function cityShortcuts(program: Command, context: CommandContext): void {
  initCommand(program, context)
  statusCommand(program, context)
  registerCommand(program, context)
  unregisterCommand(program, context)
}

async function list({ client, io }: CommandContext, options: JsonOption): Promise<void> {
  const cities = await client.call('GET /v0/cities')
  if (options.json) return printJson(io, cities)
  printTable(
    io,
    cities.items,
    [
      { header: 'CITY', value: ({ name }) => name },
      {
        header: 'STATE',
        value: ({ running, status, error }) => (running ? (error ? 'failed' : 'running') : (status ?? 'stopped')),
        colour: ({ running, error }) => (error ? 'red' : running ? 'green' : 'yellow'),
      },
      { header: 'FOLDER', value: ({ path }) => path, minWidth: 12 },
      { header: 'PROBLEM', value: ({ error }) => error, minWidth: 20 },
    ],
    'There is no city yet; create one with `gc init <folder>`.',
  )
}

function statusCommand(parent: Command, context: CommandContext): void {
  withJson(parent.command('status').description('show the status of the city: agents, rigs, work'))
    .argument('[city]', 'the name or folder of the city')
    .action((name: string | undefined, options: JsonOption) => status(context, name, options))
}

function registerCommand(parent: Command, context: CommandContext): void {
  withJson(parent.command('register').description('register the folder of a city and start it'))
    .argument('[path]', 'the folder of the city', '.')
    .option('--name <name>', 'the name to register it under')
    .action(async (path: string, options: JsonOption & { name?: string }) => {
      const body = { path: resolve(context.io.cwd, path), ...(options.name && { name: options.name }) }
      await waitUntilUp(context, await context.client.call('POST /v0/city/register', { body }), options)
    })
}

function unregisterCommand(parent: Command, context: CommandContext): void {
  withJson(parent.command('unregister').description('end the sessions of a city and unregister it; its folder is kept'))
    .argument('[city]', 'the name or folder of the city')
    .action(async (name: string | undefined, options: JsonOption) => {
      const city = await context.cityNamed(name)
      const { payload } = await waitForSupervisor(context, await city.call('POST ~/unregister'))
      if (options.json) return printJson(context.io, payload)
      printLine(context.io, `City ${city.name} is unregistered and its sessions have ended; its folder is kept.`)
    })
}

function suspensionCommands(parent: Command, context: CommandContext): void {
  const verbs = { suspend: 'start no sessions in a city until it is resumed', resume: 'resume a suspended city' }
  for (const [verb, description] of Object.entries(verbs)) {
    withJson(parent.command(verb).description(description))
      .argument('[city]', 'the name or folder of the city')
      .action(async (name: string | undefined, options: JsonOption) => {
        const city = await context.cityNamed(name)
        const response = await city.call('PATCH ~', { body: { suspended: verb === 'suspend' } })
        if (options.json) return printJson(context.io, response)
        printLine(context.io, `City ${city.name} is ${verb === 'suspend' ? 'suspended' : 'resumed'}.`)
      })
  }
}

const ALREADY_A_CITY = 2

function initCommand(program: Command, context: CommandContext): void {
  withJson(program.command('init').description('create a city in a folder and start it'))
    .argument('[path]', 'the folder; created if it does not exist', '.')
    .option('--provider <provider>', 'the agent program of its agents, such as claude or codex')
    .option('--command <command>', 'the command of its agents, instead of a provider')
    .action(async (path: string, options: JsonOption & { provider?: string; command?: string }) => {
      const dir = resolve(context.io.cwd, path)
      const body = {
        dir,
        ...(options.provider && { provider: options.provider }),
        ...(options.command && { start_command: options.command }),
      }
      const name = await waitUntilUp(context, await create(context, body), options)
      if (options.json) return
      printLine(context.io, `Next: gc --city ${name} rig add <folder>, then gc agent add <rig>/<name>.`)
    })
}

async function create({ client }: CommandContext, body: { dir: string; provider?: string; start_command?: string }) {
  try {
    return await client.call('POST /v0/city', { body })
  } catch (error) {
    if (error instanceof ApiError && error.status === 409 && error.message.includes('already initialized')) {
      throw new Exit(ALREADY_A_CITY, `${error.message}; to run it, \`gc register ${body.dir}\``)
    }
    throw error
  }
}

/** Waits until the city answers requests, prints that, and returns its name. */
async function waitUntilUp(
  context: CommandContext,
  accepted: { request_id: string; event_cursor: string },
  options: JsonOption,
): Promise<string> {
  const { payload } = await waitForSupervisor(context, accepted)
  if (options.json) printJson(context.io, payload)
  else printLine(context.io, `City ${payload.name} is up at ${payload.path}.`)
  return String(payload.name)
}
