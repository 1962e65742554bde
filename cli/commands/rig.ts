import { basename, resolve } from 'node:path'
import type { Command } from 'commander'
import type { Here } from '../context/context.ts'
import { type Json, withJson } from '../context/options.ts'
import { done } from '../context/outcome.ts'
import { failure } from '../io/exit.ts'
import { json, line } from '../io/io.ts'
import { facts, table } from '../io/table.ts'

interface Add extends Json {
  name?: string
  prefix?: string
  defaultBranch?: string
  gitUrl?: string
}

export function rigCommands(program: Command, here: Here): void {
  const rig = program.command('rig').description('the folders that agents work on')
  addCommand(rig, here)
  withJson(rig.command('list').description('list the rigs of the city')).action((options: Json) => list(here, options))
  withJson(rig.command('show').description('show one rig'))
    .argument('<rig>')
    .action((name: string, options: Json) => show(here, name, options))
  withJson(rig.command('remove').description('take a rig out of the city; its folder stays'))
    .argument('<rig>')
    .action(async (name: string, options: Json) => {
      const city = await here.city()
      const said = await city.call('DELETE ~/rig/{name}', { params: { name } })
      if (options.json) return json(here.io, said)
      line(here.io, `Rig ${name} is no longer part of ${city.name}; its folder stays.`)
    })
  actions(rig, here)
}

function addCommand(rig: Command, here: Here): void {
  withJson(rig.command('add').description('let the city work on a folder'))
    .argument('[folder]', 'the folder; with --git-url, where in the city to put the clone')
    .option('--name <name>', "the rig's name; otherwise that of the folder")
    .option('--prefix <prefix>', 'what the ids of its beads begin with')
    .option('--default-branch <branch>', 'the branch that work starts from')
    .option('--git-url <url>', 'clone this repository into the city')
    .action((folder: string | undefined, options: Add) => add(here, folder, options))
}

async function add(here: Here, folder: string | undefined, options: Add): Promise<void> {
  if (!folder && !options.gitUrl) throw failure('say which folder to add: `gc rig add <folder>`')
  const city = await here.city()
  const path = options.gitUrl ? folder : resolve(here.io.cwd, folder ?? '')
  const name = options.name ?? basename(path ?? (options.gitUrl ?? '').replace(/\.git$/, ''))
  const said = await city.call('POST ~/rigs', {
    body: {
      name,
      ...(path && { path }),
      ...(options.prefix && { prefix: options.prefix }),
      ...(options.defaultBranch && { default_branch: options.defaultBranch }),
      ...(options.gitUrl && { git_url: options.gitUrl }),
    },
  })
  const { status, request_id, event_cursor } = said
  if (status === 'accepted' && request_id && event_cursor) await done(here, city, { request_id, event_cursor })
  if (options.json) return json(here.io, said)
  line(here.io, `Rig ${said.rig ?? name} is part of ${city.name}.`)
}

async function list(here: Here, options: Json): Promise<void> {
  const city = await here.city()
  const rigs = await city.call('GET ~/rigs')
  if (options.json) return json(here.io, rigs)
  table(
    here.io,
    rigs.items,
    [
      { head: 'RIG', of: ({ name }) => name },
      { head: 'PREFIX', of: ({ prefix }) => prefix },
      { head: 'AGENTS', of: ({ agent_count, running_count }) => `${running_count}/${agent_count}` },
      {
        head: 'STATE',
        of: ({ suspended }) => (suspended ? 'suspended' : 'working'),
        colour: ({ suspended }) => (suspended ? 'yellow' : 'green'),
      },
      { head: 'FOLDER', of: ({ path }) => path, least: 12 },
    ],
    `${city.name} has no rig yet; add one with \`gc rig add <folder>\`.`,
  )
}

async function show(here: Here, name: string, options: Json): Promise<void> {
  const city = await here.city()
  const rig = await city.call('GET ~/rig/{name}', { params: { name }, query: { git: true } })
  if (options.json) return json(here.io, rig)
  const { git } = rig
  facts(here.io, [
    ['rig', rig.name],
    ['folder', rig.path],
    ['prefix', rig.prefix],
    [
      'branch',
      git ? `${git.branch}, ${git.clean ? 'clean' : `${git.changed_files} files changed`}` : rig.default_branch,
    ],
    ['agents', `${rig.running_count} of ${rig.agent_count} running`],
    ['state', rig.suspended ? 'suspended' : 'working'],
    ['last activity', rig.last_activity],
  ])
}

const ACTIONS = {
  suspend: ['start no sessions for a rig until it is resumed', 'is suspended'],
  resume: ['let a suspended rig work', 'is at work again'],
  restart: ["end the sessions of a rig's agents and start them afresh", 'is restarting'],
} as const

function actions(rig: Command, here: Here): void {
  for (const [action, [description, then]] of Object.entries(ACTIONS)) {
    withJson(rig.command(action).description(description))
      .argument('<rig>')
      .action(async (name: string, options: Json) => {
        const city = await here.city()
        const said = await city.call('POST ~/rig/{name}/{action}', { params: { name, action } })
        const failed = said.failed ?? []
        if (options.json) json(here.io, said)
        else if (failed.length === 0) line(here.io, `Rig ${name} ${then}.`)
        if (failed.length > 0) throw failure(`these sessions of rig ${name} could not be ended: ${failed.join(', ')}`)
      })
  }
}
