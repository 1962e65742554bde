import { resolve } from 'node:path'
import type { Command } from 'commander'
import { ClientProblem } from '../../src/client/problem.ts'
import type { Here } from '../context/context.ts'
import { type Json, withJson } from '../context/options.ts'
import { doneBySupervisor } from '../context/outcome.ts'
import { Exit } from '../io/exit.ts'
import { json, line } from '../io/io.ts'
import { table } from '../io/table.ts'
import { status } from './status.ts'

export function cityCommands(program: Command, here: Here): void {
  const city = program.command('city').description('the cities this supervisor runs')
  withJson(city.command('list').description('list the registered cities')).action((options: Json) =>
    list(here, options),
  )
  statusCommand(city, here)
  registerCommand(city, here)
  unregisterCommand(city, here)
  suspension(city, here)
}

/** The few that are called so often that they stand at the top too. */
export function cityShortcuts(program: Command, here: Here): void {
  initCommand(program, here)
  statusCommand(program, here)
  registerCommand(program, here)
  unregisterCommand(program, here)
}

async function list({ client, io }: Here, options: Json): Promise<void> {
  const cities = await client.call('GET /v0/cities')
  if (options.json) return json(io, cities)
  table(
    io,
    cities.items,
    [
      { head: 'CITY', of: ({ name }) => name },
      {
        head: 'STATE',
        of: ({ running, status }) => (running ? 'running' : (status ?? 'stopped')),
        colour: ({ running, error }) => (running ? 'green' : error ? 'red' : 'yellow'),
      },
      { head: 'FOLDER', of: ({ path }) => path, least: 12 },
      { head: 'TROUBLE', of: ({ error }) => error, least: 20 },
    ],
    'There is no city yet; make one with `gc init <folder>`.',
  )
}

function statusCommand(parent: Command, here: Here): void {
  withJson(parent.command('status').description('how the city is: agents, rigs, work'))
    .argument('[city]', 'its name or its folder')
    .action((told: string | undefined, options: Json) => status(here, told, options))
}

function registerCommand(parent: Command, here: Here): void {
  withJson(parent.command('register').description('take a folder that holds a city into the registry'))
    .argument('[path]', 'the folder of the city', '.')
    .option('--name <name>', 'register it under this name')
    .action(async (path: string, options: Json & { name?: string }) => {
      const body = { path: resolve(here.io.cwd, path), ...(options.name && { name: options.name }) }
      await up(here, await here.client.call('POST /v0/city/register', { body }), options)
    })
}

function unregisterCommand(parent: Command, here: Here): void {
  withJson(parent.command('unregister').description('end the sessions of a city and forget it; its folder stays'))
    .argument('[city]', 'its name or its folder')
    .action(async (told: string | undefined, options: Json) => {
      const city = await here.cityCalled(told)
      const { payload } = await doneBySupervisor(here, await city.call('POST ~/unregister'))
      if (options.json) return json(here.io, payload)
      line(here.io, `City ${city.name} is unregistered and its sessions have ended; its folder stays.`)
    })
}

function suspension(parent: Command, here: Here): void {
  const verbs = { suspend: 'start no sessions in the city until it is resumed', resume: 'let a suspended city work' }
  for (const [verb, description] of Object.entries(verbs)) {
    withJson(parent.command(verb).description(description))
      .argument('[city]', 'its name or its folder')
      .action(async (told: string | undefined, options: Json) => {
        const city = await here.cityCalled(told)
        const said = await city.call('PATCH ~', { body: { suspended: verb === 'suspend' } })
        if (options.json) return json(here.io, said)
        line(here.io, `City ${city.name} is ${verb === 'suspend' ? 'suspended' : 'at work again'}.`)
      })
  }
}

const ALREADY = 2

function initCommand(program: Command, here: Here): void {
  withJson(program.command('init').description('make a new city in a folder and start it'))
    .argument('[path]', 'the folder; it is made when it is not there', '.')
    .option('--provider <provider>', 'which agent program its agents run, such as claude or codex')
    .option('--command <command>', 'the command its agents run, instead of a provider')
    .action(async (path: string, options: Json & { provider?: string; command?: string }) => {
      const dir = resolve(here.io.cwd, path)
      const body = {
        dir,
        ...(options.provider && { provider: options.provider }),
        ...(options.command && { start_command: options.command }),
      }
      const name = await up(here, await create(here, body), options)
      if (options.json) return
      line(here.io, `Next: gc --city ${name} rig add <folder>, then gc agent add <rig>/<name>.`)
    })
}

async function create({ client }: Here, body: { dir: string; provider?: string; start_command?: string }) {
  try {
    return await client.call('POST /v0/city', { body })
  } catch (error) {
    if (error instanceof ClientProblem && error.status === 409 && error.message.includes('already initialized')) {
      throw new Exit(ALREADY, `${error.message}; to run it, \`gc register ${body.dir}\``)
    }
    throw error
  }
}

/** Waits until the city takes requests, says so, and answers with its name. */
async function up(here: Here, accepted: { request_id: string; event_cursor: string }, options: Json): Promise<string> {
  const { payload } = await doneBySupervisor(here, accepted)
  if (options.json) json(here.io, payload)
  else line(here.io, `City ${payload.name} is up at ${payload.path}.`)
  return String(payload.name)
}
