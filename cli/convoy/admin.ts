import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { formatAge, sanitizeLine } from '../../src/client/text.ts'
import type { Bead } from '../../src/work/beads/index.ts'
import type { CommandContext } from '../context/context.ts'
import { withItems } from '../context/envelope.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { convoyActionOutput } from '../context/pack-json.ts'
import { readItems } from '../context/pages.ts'
import { renderLive, type WatchOption, withWatch } from '../context/watch.ts'
import { failure } from '../io/exit.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import { printTable } from '../io/table.ts'

/** The label of a convoy that stays open until it is landed. */
export const OWNED_LABEL = 'owned'

/** Commands that land, target and find stranded convoys. */
export function adminCommands(convoy: Command, context: CommandContext): void {
  withJson(convoy.command('land').description('close an owned convoy once its beads are closed'))
    .argument('<convoy>')
    .option('--force', 'close it even with open beads')
    .option('--dry-run', 'check whether it can close, and change nothing')
    .action((id: string, options: Land) => land(context, id, options))
  withJson(convoy.command('target').description('set the target branch of a convoy'))
    .argument('<convoy>')
    .argument('<branch>')
    .action((id: string, branch: string, options: JsonOption) => target(context, id, branch, options))
  withWatch(withJson(convoy.command('stranded').description('list convoys with ready work and no session')))
    .option('--all', 'include those that `gc sling` created for one bead')
    .action(async (options: Stranded) => {
      const city = await context.city()
      await renderLive(context, city, options, (io) => printStranded(io, city, options))
    })
}

interface Stranded extends JsonOption, WatchOption {
  all?: true
}

interface Land extends JsonOption {
  force?: true
  dryRun?: true
}

async function land(context: CommandContext, id: string, { force, dryRun, json }: Land): Promise<void> {
  const city = await context.city()
  const { convoy, children = [] } = await city.call('GET ~/convoy/{id}', { params: { id } })
  const name = sanitizeLine(id)
  if (convoy?.status === 'closed') throw failure(`${name} is already closed`)
  if (!convoy?.labels?.includes(OWNED_LABEL)) {
    throw failure(`${name} closes with its last bead; \`gc convoy close ${name}\` closes it now`)
  }
  const open = children.filter(({ status }) => status !== 'closed').map((bead) => bead.id)
  if (!force && children.length === 0) throw failure(`${name} has no beads yet; --force closes it anyway`)
  if (!force && open.length > 0) throw failure(`${name} has open beads: ${open.join(', ')}; --force closes it anyway`)
  if (!dryRun) await city.call('POST ~/convoy/{id}/close', { params: { id } })
  if (json) {
    const counts = { total_children: children.length, open_children: open.length, open }
    const how = { ...(dryRun && { dry_run: true }), ...(force && { forced: true }) }
    const known = { convoy_id: id, title: convoy.title, landed: dryRun === undefined }
    return printJson(context.io, convoyActionOutput('land', { ...known, ...counts, ...how }))
  }
  printLine(context.io, dryRun ? `${name} can be landed.` : `Landed ${name}.`)
}

async function target(context: CommandContext, id: string, branch: string, { json }: JsonOption): Promise<void> {
  const city = await context.city()
  await city.call('GET ~/convoy/{id}', { params: { id } })
  const response = await city.call('PATCH ~/bead/{id}', { params: { id }, body: { metadata: { target: branch } } })
  if (json) return printJson(context.io, convoyActionOutput('target', { convoy_id: id, target: branch, ...response }))
  printLine(context.io, `The target branch of ${sanitizeLine(id)} is ${sanitizeLine(branch)}.`)
}

/** True if `gc sling` made it for one bead, or a run for its input: no one groups work by it. */
export const isAutomatic = ({ title, labels, metadata }: Bead): boolean =>
  metadata?.['gc.synthetic'] === 'true' || (title.startsWith('sling-') && !labels?.includes(OWNED_LABEL))

/** Every open convoy, newest first. */
export const listOpenConvoys = (city: CityClient): Promise<Bead[]> =>
  readItems((cursor) => city.call('GET ~/convoys', { query: { cursor, limit: 1000 } }))

async function printStranded(io: Io, city: CityClient, { all, json }: Stranded): Promise<void> {
  const ready = new Set((await city.call('GET ~/beads/ready')).items.map(({ id }) => id))
  const convoys: { id: string; title: string; created_at: string; ready: string[] }[] = []
  const candidates = await listOpenConvoys(city)
  for (const { id, title, created_at } of all || json ? candidates : candidates.filter((each) => !isAutomatic(each))) {
    const { children = [] } = await city.call('GET ~/convoy/{id}', { params: { id } })
    const waiting = children.filter((bead) => ready.has(bead.id) && !bead.assignee).map((bead) => bead.id)
    const isWorkedOn = children.some(({ status }) => status === 'in_progress')
    if (waiting.length > 0 && !isWorkedOn) convoys.push({ id, title, created_at, ready: waiting })
  }
  if (json) {
    const count = convoys.reduce((sum, { ready: waiting }) => sum + waiting.length, 0)
    return printJson(io, convoyActionOutput('stranded', withItems({ stranded: count, convoys }, convoys)))
  }
  const now = Date.now()
  printTable(
    io,
    convoys,
    [
      { header: 'CONVOY', value: ({ id }) => id },
      { header: 'AGE', value: ({ created_at }) => formatAge(created_at, now) },
      { header: 'READY', value: (convoy) => convoy.ready.join(' '), minWidth: 8 },
      { header: 'TITLE', value: ({ title }) => title, minWidth: 12 },
    ],
    'No convoy is stranded.',
  )
}
