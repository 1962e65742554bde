import type { Command } from 'commander'
import { beadColumns as columns } from '../../client/views/index.ts'
import type { CityClient } from '../../src/client/client.ts'
import { sanitizeLines } from '../../src/client/text.ts'
import type { Bead } from '../../src/work/beads/index.ts'
import type { CommandContext } from '../context/context.ts'
import { withItems } from '../context/envelope.ts'
import { type JsonOption, parseCount, withJson } from '../context/options.ts'
import { readItems } from '../context/pages.ts'
import { renderLive, type WatchOption, watched, withWatch } from '../context/watch.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import { listColumns } from '../io/shared-columns.ts'
import { type Column, printFields, printTable } from '../io/table.ts'
import { describeBlockers, openBlockers } from './blockers.ts'
import { commentCommands, listComments, printComments } from './comment.ts'
import { dependencyCommands } from './dep.ts'
import { createCommand, updateCommand } from './edit.ts'
import { historyCommand } from './history.ts'
import { searchBeads } from './search.ts'
import { graphCommand } from './show-graph.ts'
import { stateCommands } from './state.ts'
import { parseStatus } from './status.ts'
import { transferCommands } from './transfer.ts'
import { listBeads } from './work.ts'

interface List extends JsonOption, WatchOption {
  status?: string
  type?: string
  label?: string
  assignee?: string
  rig?: string
  all?: true
  limit: number
}

interface Search extends JsonOption {
  status?: string
  type?: string
  rig?: string
  limit: number
}

export function beadCommands(program: Command, context: CommandContext): void {
  const bead = program.command('bead').description('create, list and change beads')
  listCommand(bead, context)
  withWatch(withJson(bead.command('ready').description('list unblocked open work'))).action(
    (options: JsonOption & WatchOption) => ready(context, options),
  )
  withWatch(withJson(bead.command('show').description('show one bead')))
    .argument('<bead>')
    .action(watched(context, show))
  createCommand(bead, context)
  updateCommand(bead, context)
  stateCommands(bead, context)
  dependencyCommands(bead, context)
  graphCommand(bead, context)
  searchCommand(bead, context)
  commentCommands(bead, context)
  historyCommand(bead, context)
  transferCommands(bead, context)
  packCommands(program, context)
}

interface PackList extends JsonOption {
  label?: string
  status?: string
  all?: true
  format?: string
}

/** `gc beads`, whose JSON scripts of packs read; it has the shape of the known system. */
function packCommands(program: Command, context: CommandContext): void {
  const beads = program.command('beads', { hidden: true })
  withJson(beads.command('list').description('list open work of all rigs'))
    .option('--label <label>', 'only beads with this label')
    .option('--status <status>', 'only beads with this status', parseStatus)
    .option('--all', 'include closed beads')
    .action(async ({ json, format, ...query }: PackList) => {
      const city = await context.city()
      const all = { ...query, all: query.all ?? query.status === 'closed' }
      const items = await readItems((cursor) => city.call('GET ~/beads', { query: { ...all, limit: 1000, cursor } }))
      if (json) return printJson(context.io, withItems({ beads: items, _cache_age_s: 0 }, items))
      print(context.io, items, 'No beads match.')
    })
  withJson(beads.command('show').description('show one bead'))
    .argument('<bead>')
    .action(async (id: string, { json }: PackList) => {
      if (!json) return show(context, id, {})
      const bead = await (await context.city()).call('GET ~/bead/{id}', { params: { id } })
      printJson(context.io, { bead, _cache_age_s: 0 })
    })
}

function listCommand(bead: Command, context: CommandContext): void {
  withWatch(withJson(bead.command('list').description('list open work, newest first')))
    .option('--status <status>', 'open, in_progress or closed', parseStatus)
    .option('--type <type>', 'type, such as task, bug or session')
    .option('--label <label>', 'only beads with this label')
    .option('--assignee <who>', 'only beads of this session: id, alias or name')
    .option('--rig <rig>', 'only beads of this rig; the city’s name for those without one')
    .option('--all', 'include closed beads and other records')
    .option('--limit <n>', 'maximum rows', parseCount, 100)
    .action((options: List) => list(context, options))
}

async function list(context: CommandContext, options: List): Promise<void> {
  const city = await context.city()
  const { json, watch, ...rest } = options
  const query = { ...rest, rig: await filterRig(context, city, options.rig) }
  await renderLive(context, city, { watch }, async (io) => {
    const beads = await listBeads(city, query)
    if (json) return printJson(io, beads)
    print(io, beads.items, 'No beads match.')
    if (beads.total > beads.items.length) printLine(io, `${beads.items.length} of ${beads.total}; --limit shows more.`)
  })
}

/** The rig that a list is for: one that there is. */
const filterRig = async (context: CommandContext, city: CityClient, rig: string | undefined) =>
  rig === undefined ? undefined : context.rigNamed(city, rig)

function searchCommand(bead: Command, context: CommandContext): void {
  withWatch(withJson(bead.command('search').description('search the text and the comments of beads')))
    .argument('<words...>', 'words that must all occur')
    .option('--status <status>', 'open, in_progress or closed', parseStatus)
    .option('--type <type>', 'type, such as task or bug')
    .option('--rig <rig>', 'only beads of this rig; the city’s name for those without one')
    .option('--limit <n>', 'maximum rows', parseCount, 50)
    .action(watched(context, search))
}

async function search(context: CommandContext, words: readonly string[], options: Search): Promise<void> {
  const city = await context.city()
  const { json, ...query } = options
  const rig = await filterRig(context, city, options.rig)
  const result = await searchBeads(city, { ...query, rig, q: words.join(' ') })
  if (json) return printJson(context.io, withItems(result, result.items))
  print(context.io, result.items, 'No beads match these words.')
  if (result.next_cursor) printLine(context.io, `Showing the newest ${result.items.length}; --limit shows more.`)
}

async function ready(context: CommandContext, options: JsonOption & WatchOption): Promise<void> {
  const city = await context.city()
  await renderLive(context, city, options, async (io) => {
    const beads = await city.call('GET ~/beads/ready')
    if (options.json) return printJson(io, beads)
    print(io, beads.items, 'No work is ready: all of it is claimed, blocked or done.')
  })
}

function print(io: Io, beads: readonly Bead[], none: string): void {
  printTable(io, beads, beadColumns(Date.now()), none)
}

/** The columns of a list of beads. */
export function beadColumns(now: number): readonly Column<Bead>[] {
  const { id, status, priority, type, who, age, title } = columns
  return listColumns<Bead>(now, [id, status, priority, type, who, age, title])
}

/** Wording of dependency types from the side of the dependent bead. */
const DEPENDENCY_WORDS: Readonly<Record<string, string>> = { blocks: 'needs', 'conditional-blocks': 'may need' }

const blockersOf = async (city: CityClient, id: string): Promise<string> =>
  describeBlockers(openBlockers(await city.call('GET ~/bead/{id}/dependencies', { params: { id } })))

async function show(context: CommandContext, id: string, options: JsonOption): Promise<void> {
  const city = await context.city()
  const bead = await city.call('GET ~/bead/{id}', { params: { id } })
  if (options.json) return printJson(context.io, bead)
  printFields(context.io, [
    ['bead', bead.id],
    ['title', bead.title],
    ['status', bead.status + (bead.is_blocked ? ', blocked' : '')],
    ['type', bead.issue_type],
    ['priority', bead.priority === undefined ? undefined : `P${bead.priority}`],
    ['assignee', bead.assignee],
    ['parent', bead.parent],
    ['labels', bead.labels?.join(', ')],
    ['not before', bead.defer_until],
    ['created', bead.created_at],
    ['updated', bead.updated_at],
    ['blocked by', bead.is_blocked ? await blockersOf(city, id) : undefined],
    ...(bead.dependencies ?? []).map(({ type, depends_on_id: on }): [string, string] => [
      DEPENDENCY_WORDS[type] ?? type,
      on,
    ]),
    ...Object.entries(bead.metadata ?? {}),
  ])
  if (bead.description) printLine(context.io, `\n${sanitizeLines(bead.description)}`)
  const comments = await listComments(city, id)
  if (comments.length > 0) printLine(context.io, '')
  printComments(context.io, comments)
}
