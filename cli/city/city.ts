import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { ApiError } from '../../src/client/errors.ts'
import { resolveHome } from '../../src/client/home.ts'
import type { CityInfo } from '../../src/supervisor/schema.ts'
import type { CommandContext } from '../context/context.ts'
import { envelope } from '../context/envelope.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { waitForSupervisor } from '../context/requests.ts'
import { renderAllLive, type WatchOption, withWatch } from '../context/watch.ts'
import { failure } from '../io/exit.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import { printTable } from '../io/table.ts'
import { fetchMissingPacks, listAutomaticPrograms, runWarmups } from '../pack/prepare.ts'
import { initCommand } from './init.ts'
import { status } from './status.ts'

export function cityCommands(program: Command, context: CommandContext): void {
  const city = program.command('city').description('manage the cities of this supervisor')
  withWatch(withJson(city.command('list').description('list the registered cities'))).action((options: List) =>
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
  citiesCommand(program, context)
  statusCommand(program, context)
  registerCommand(program, context)
  unregisterCommand(program, context)
  suspensionCommands(program, context)
}

/** `gc cities`: the registered cities, as packs ask for them. */
function citiesCommand(program: Command, context: CommandContext): void {
  const cities = withWatch(withJson(program.command('cities').description('list the registered cities'))).action(
    (options: List) => list(context, options, listing(context)),
  )
  withWatch(withJson(cities.command('list').description('list the registered cities'))).action(
    (_: List, command: Command) => list(context, command.optsWithGlobals(), listing(context)),
  )
}

/** The list of cities as packs read it. */
const listing =
  ({ io }: CommandContext) =>
  ({ items, total }: { items: CityInfo[]; total: number }) =>
    envelope({
      registry_path: join(resolveHome(io.env), 'supervisor.db'),
      cities: items.map(({ name, path }) => ({ name, path })),
      items,
      total,
    })

type List = JsonOption & WatchOption

async function list(
  context: CommandContext,
  options: List,
  toJson: (cities: { items: CityInfo[]; total: number }) => object = (cities) => cities,
): Promise<void> {
  const supervisor = await context.supervisor()
  await renderAllLive(context, options, async (io) => {
    const cities = await supervisor.call('GET /v0/cities')
    if (options.json) printJson(io, toJson(cities))
    else print(io, cities.items)
  })
}

function print(io: Io, cities: readonly CityInfo[]): void {
  printTable(
    io,
    cities,
    [
      { header: 'CITY', value: ({ name }) => name },
      {
        header: 'STATE',
        value: ({ running, status, error }) => (running ? (error ? 'failed' : 'running') : (status ?? 'stopped')),
        colour: ({ running, error }) => (error ? 'red' : running ? 'green' : 'yellow'),
      },
      { header: 'FOLDER', value: ({ path }) => path, minWidth: 12 },
      { header: 'PROBLEM', value: ({ error }) => error, below: '→ ' },
    ],
    'There is no city yet; create one with `gc init <folder>`.',
  )
}

function statusCommand(parent: Command, context: CommandContext): void {
  withWatch(withJson(parent.command('status').description('show agents, rigs and work of a city')))
    .argument('[city]', 'name or folder of the city')
    .action((name: string | undefined, options: JsonOption & WatchOption) => status(context, name, options))
}

function registerCommand(parent: Command, context: CommandContext): void {
  withJson(parent.command('register').description('register the folder of a city and start it'))
    .argument('[path]', 'folder of the city', '.')
    .option('--name <name>', 'name to register it under')
    .option('--yes', 'accepted: gc never asks here')
    .action(async (path: string, options: JsonOption & { name?: string }) => {
      const body = { path: resolve(context.io.cwd, path), ...(options.name && { name: options.name }) }
      await fetchMissingPacks(context, body.path)
      await listAutomaticPrograms(context, body.path)
      await runWarmups(context, body.path)
      const supervisor = await context.supervisor()
      const accepted = await supervisor.call('POST /v0/city/register', { body }).catch((error: unknown) => {
        const isThere = error instanceof ApiError && error.message.includes('already initialized')
        throw isThere ? failure(`${body.path} is already registered; \`gc cities\` shows its state`) : error
      })
      await waitUntilUp(context, accepted, options)
    })
}

function unregisterCommand(parent: Command, context: CommandContext): void {
  withJson(parent.command('unregister').description('stop a city and unregister it; its folder stays'))
    .argument('[city]', 'name or folder of the city')
    .action(async (name: string | undefined, options: JsonOption) => {
      const city = await context.cityNamed(name)
      const { payload } = await waitForSupervisor(context, await city.call('POST ~/unregister'))
      if (options.json) return printJson(context.io, payload)
      const path = String(payload.path)
      const folder = statSync(path, { throwIfNoEntry: false })?.isDirectory()
        ? 'its folder is kept'
        : `its folder ${path} is gone`
      printLine(context.io, `City ${city.name} is unregistered and its sessions have stopped; ${folder}.`)
    })
}

function suspensionCommands(parent: Command, context: CommandContext): void {
  const verbs = { suspend: 'start no new sessions in a city', resume: 'resume a suspended city' }
  for (const [verb, description] of Object.entries(verbs)) {
    withJson(parent.command(verb).description(description))
      .argument('[city]', 'name or folder of the city')
      .action(async (name: string | undefined, options: JsonOption) => {
        const city = await context.cityNamed(name)
        const response = await city.call('PATCH ~', { body: { suspended: verb === 'suspend' } })
        if (options.json) return printJson(context.io, response)
        printLine(context.io, `City ${city.name} is ${verb === 'suspend' ? 'suspended' : 'resumed'}.`)
      })
  }
}

/** Waits until the city answers requests, and prints that. */
async function waitUntilUp(
  context: CommandContext,
  accepted: { request_id: string; event_cursor: string },
  options: JsonOption,
): Promise<void> {
  const { payload } = await waitForSupervisor(context, accepted)
  const { name: city_name, path: city_path } = payload
  const message = `City ${city_name} is up at ${city_path}.`
  if (options.json) return printJson(context.io, envelope({ ...payload, message, city_name, city_path }))
  printLine(context.io, message)
}
