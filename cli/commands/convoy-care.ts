import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { ago, plain } from '../../src/client/text.ts'
import type { Bead } from '../../src/work/beads/schema.ts'
import type { Here } from '../context/context.ts'
import { type Json, withJson } from '../context/options.ts'
import { draw, type Watch, withWatch } from '../context/watch.ts'
import { failure } from '../io/exit.ts'
import { type Io, json, line } from '../io/io.ts'
import { table } from '../io/table.ts'

/** A bead in one of these states is done, as the server counts it. */
const DONE = ['closed', 'tombstone']

/** The label of a convoy that stays open until a person closes it. */
export const OWNED = 'owned'

/** The commands with which people look after convoys. */
export function careCommands(convoy: Command, here: Here): void {
  withJson(convoy.command('land').description('close a convoy that was kept open for a person, once its beads are'))
    .argument('<convoy>')
    .option('--force', 'also when some of its beads are open')
    .option('--dry-run', 'only say whether it can be')
    .action((id: string, options: Land) => land(here, id, options))
  withJson(convoy.command('target').description('say which branch the work of a convoy goes to'))
    .argument('<convoy>')
    .argument('<branch>')
    .action((id: string, branch: string, options: Json) => target(here, id, branch, options))
  withWatch(
    withJson(convoy.command('stranded').description('list convoys with work that is ready and nobody at work')),
  ).action(async (options: Json & Watch) => {
    const city = await here.city()
    await draw(here, city, options, (io) => stranded(io, city, options))
  })
}

interface Land extends Json {
  force?: true
  dryRun?: true
}

async function land(here: Here, id: string, { force, dryRun, json: asJson }: Land): Promise<void> {
  const city = await here.city()
  const { convoy, children = [] } = await city.call('GET ~/convoy/{id}', { params: { id } })
  const name = plain(id)
  if (convoy?.status === 'closed') throw failure(`${name} is closed already`)
  if (!convoy?.labels?.includes(OWNED)) {
    throw failure(`${name} closes with the last of its beads; \`gc convoy close ${name}\` closes it now`)
  }
  const open = children.filter(({ status }) => !DONE.includes(status)).map((bead) => bead.id)
  if (!force && children.length === 0) throw failure(`${name} has no beads yet; --force closes it all the same`)
  if (!force && open.length > 0)
    throw failure(`${name} has open beads: ${open.join(', ')}; --force closes it all the same`)
  if (!dryRun) await city.call('POST ~/convoy/{id}/close', { params: { id } })
  if (asJson) return json(here.io, { convoy_id: id, landed: dryRun === undefined, open })
  line(here.io, dryRun ? `${name} can be landed.` : `Landed ${name}.`)
}

async function target(here: Here, id: string, branch: string, { json: asJson }: Json): Promise<void> {
  const city = await here.city()
  await city.call('GET ~/convoy/{id}', { params: { id } })
  const said = await city.call('PATCH ~/bead/{id}', { params: { id }, body: { metadata: { target: branch } } })
  if (asJson) return json(here.io, said)
  line(here.io, `The work of ${plain(id)} goes to ${plain(branch)}.`)
}

/** Every convoy that is not closed, newest first. */
export async function openConvoys(city: CityClient): Promise<Bead[]> {
  const found: Bead[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await city.call('GET ~/convoys', { query: { cursor, limit: 1000 } })
    found.push(...page.items)
    cursor = page.next_cursor
    if (!cursor) return found
  }
}

async function stranded(io: Io, city: CityClient, { json: asJson }: Json): Promise<void> {
  const ready = new Set((await city.call('GET ~/beads/ready')).items.map(({ id }) => id))
  const found: { id: string; title: string; created_at: string; ready: string[] }[] = []
  for (const { id, title, created_at } of await openConvoys(city)) {
    const { children = [] } = await city.call('GET ~/convoy/{id}', { params: { id } })
    const waiting = children.filter((bead) => ready.has(bead.id) && !bead.assignee).map((bead) => bead.id)
    const atWork = children.some(({ status }) => status === 'in_progress')
    if (waiting.length > 0 && !atWork) found.push({ id, title, created_at, ready: waiting })
  }
  if (asJson) return json(io, { convoys: found })
  const now = Date.now()
  table(
    io,
    found,
    [
      { head: 'CONVOY', of: ({ id }) => id },
      { head: 'AGE', of: ({ created_at }) => ago(created_at, now) },
      { head: 'READY', of: (convoy) => convoy.ready.join(' '), least: 8 },
      { head: 'TITLE', of: ({ title }) => title, least: 12 },
    ],
    'In every convoy somebody is at work, or nothing is ready.',
  )
}
