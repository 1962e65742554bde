import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { ago, plain } from '../../src/client/text.ts'
import type { Bead } from '../../src/work/beads/schema.ts'
import type { ConvoyCheckResponse } from '../../src/work/convoys/schema.ts'
import type { Here } from '../context/context.ts'
import { count, type Json, withJson } from '../context/options.ts'
import { draw, type Watch, withWatch } from '../context/watch.ts'
import { Exit } from '../io/exit.ts'
import { type Io, json, line } from '../io/io.ts'
import { facts, table } from '../io/table.ts'
import { beadColumns } from './bead.ts'
import { careCommands, OWNED, openConvoys } from './convoy-care.ts'
import { changeCommands } from './convoy-edit.ts'

export function convoyCommands(program: Command, here: Here): void {
  const convoy = program.command('convoy').description('beads that travel together, done with the last of them')
  listCommand(convoy, here)
  withWatch(withJson(convoy.command('show').alias('status').description('show a convoy and how far its beads are')))
    .argument('<convoy>')
    .addHelpText('after', '\nWith --watch it ends when the convoy is closed.')
    .action(async (id: string, options: Json & Watch) => {
      const city = await here.city()
      await draw(here, city, options, (io) => show(io, city, id, options))
    })
  changeCommands(convoy, here)
  checkCommand(convoy, here)
  careCommands(convoy, here)
}

interface List extends Json, Watch {
  all?: true
  limit: number
}

function listCommand(convoy: Command, here: Here): void {
  withWatch(withJson(convoy.command('list').description('list the open convoys, newest first')))
    .option('--all', 'closed ones too')
    .option('--limit <n>', 'at most so many', count, 100)
    .action(async (options: List) => {
      const city = await here.city()
      await draw(here, city, options, (io) => list(io, city, options))
    })
}

async function list(io: Io, city: CityClient, { all, limit, json: asJson }: List): Promise<void> {
  const convoys = await (all
    ? city.call('GET ~/beads', { query: { type: 'convoy', all, limit } })
    : city.call('GET ~/convoys', { query: { limit } }))
  if (asJson) return json(io, convoys)
  const progress = new Map<string, ConvoyCheckResponse>()
  for (const { id } of convoys.items) progress.set(id, await check(city, id))
  const now = Date.now()
  table(
    io,
    convoys.items,
    [
      { head: 'CONVOY', of: ({ id }) => id },
      { head: 'STATUS', of: ({ status }) => status, colour: ({ status }) => (status === 'closed' ? 'dim' : 'cyan') },
      { head: 'DONE', of: ({ id }) => `${progress.get(id)?.closed}/${progress.get(id)?.total}` },
      { head: 'AGE', of: ({ created_at }) => ago(created_at, now) },
      { head: 'TITLE', of: ({ title }) => title, least: 12 },
    ],
    all ? 'There is no convoy.' : 'No convoy is under way.',
  )
  const { total, items } = convoys
  if (total > items.length) line(io, `${items.length} of ${total}; --limit shows more.`)
}

const check = (city: CityClient, id: string): Promise<ConvoyCheckResponse> =>
  city.call('GET ~/convoy/{id}/check', { params: { id } })

async function show(io: Io, city: CityClient, id: string, { json: asJson }: Json): Promise<'over' | undefined> {
  const said = await city.call('GET ~/convoy/{id}', { params: { id } })
  const over = said.convoy?.status === 'closed' ? 'over' : undefined
  if (asJson) json(io, said)
  else print(io, said.convoy, said.children ?? [], said.progress?.closed ?? 0)
  return over
}

function print(io: Io, convoy: Bead | undefined, members: readonly Bead[], closed: number): void {
  facts(io, [
    ['convoy', convoy?.id],
    ['title', convoy?.title],
    ['status', convoy?.status],
    ['done', `${closed} of ${members.length}`],
    ['labels', convoy?.labels?.join(', ')],
    ['created', convoy?.created_at],
    ...Object.entries(convoy?.metadata ?? {}),
  ])
  line(io, '')
  table(io, members, beadColumns(Date.now()), 'It has no beads yet; `gc convoy add` puts some in.')
}

interface Check extends Json {
  close?: true
}

function checkCommand(convoy: Command, here: Here): void {
  withJson(convoy.command('check').description('status 0 when all its beads are closed, 1 when not'))
    .argument('[convoy]', 'which; without one, all that are done are closed')
    .option('--close', 'close it when they are, also one that is kept open for a person')
    .action(async (id: string | undefined, options: Check) => {
      const city = await here.city()
      if (id === undefined) return sweep(here.io, city, options)
      const said = await check(city, id)
      if (said.complete && options.close) await city.call('POST ~/convoy/{id}/close', { params: { id } })
      if (options.json) json(here.io, said)
      else line(here.io, `${said.closed} of ${said.total} beads of ${plain(id)} are closed.`)
      if (!said.complete) throw new Exit(1)
    })
}

/** Closes every convoy whose beads are closed, but for those that are kept open for a person. */
async function sweep(io: Io, city: CityClient, { close, json: asJson }: Check): Promise<void> {
  const closed: string[] = []
  for (const { id, labels } of await openConvoys(city)) {
    if (labels?.includes(OWNED) && !close) continue
    if (!(await check(city, id)).complete) continue
    await city.call('POST ~/convoy/{id}/close', { params: { id } })
    closed.push(id)
  }
  if (asJson) return json(io, { closed })
  line(io, closed.length === 0 ? 'No convoy is done that is not closed.' : `Closed ${closed.join(', ')}.`)
}
