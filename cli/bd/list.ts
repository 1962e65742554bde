import { type Command, Option } from 'commander'
import { countOf } from '../../src/client/text.ts'
import type { Bead } from '../../src/work/beads/index.ts'
import {
  assigneeOf,
  type Filter,
  isListMatch,
  isMatch,
  type ListFilter,
  withFilters,
  withListFilters,
} from '../bead/filter.ts'
import { parseStatuses } from '../bead/status.ts'
import { countWork } from '../bead/work.ts'
import { collectList } from '../context/options.ts'
import type { BdContext } from './context.ts'

/** `hybrid` is accepted because `bd` has it; it sorts by priority. */
const READY_SORTS = ['priority', 'oldest', 'hybrid']

interface Ready extends Filter {
  sort: string
}

interface List extends ListFilter {
  sort: string
  reverse?: true
}

interface Count {
  status?: string[]
  type?: string[]
  assignee?: string
}

export function listCommands(program: Command, bd: BdContext): void {
  withFilters(program.command('ready').description('list open work that nothing blocks'), 100)
    .addOption(
      new Option('--sort <way>', 'the most urgent first, or the oldest').choices(READY_SORTS).default('priority'),
    )
    .action(bd.run((filter: Ready) => ready(bd, filter)))
  withListFilters(program.command('list').description('list beads'))
    .option('-s, --status <statuses>', 'open, in_progress, closed …, separated by commas; or all', parseStatuses)
    .addOption(new Option('--sort <field>').choices(Object.keys(ORDERS)).default('priority'))
    .option('-r, --reverse', 'the other way round')
    .action(bd.run((filter: List) => list(bd, filter)))
  program
    .command('count')
    .description('count beads')
    .option('-s, --status <statuses>', 'separated by commas; or all', parseStatuses)
    .option('-t, --type <types>', 'separated by commas', collectList)
    .option('-a, --assignee <who>')
    .action(bd.run((filter: Count) => printCount(bd, filter)))
}

async function ready(bd: BdContext, filter: Ready): Promise<void> {
  const matches = (await readyBeads(bd, assigneeOf(filter))).filter((bead) => isMatch(bead, filter))
  if (filter.sort === 'oldest') matches.sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at))
  const shown = first(matches, filter.limit)
  if (bd.print.json) return bd.printList(shown)
  if (shown.length === 0) return bd.print.line('No ready work: everything is taken, blocked or done.')
  for (const bead of shown) bd.print.bead(bead)
  bd.print.line(`\n${matches.length} ready, nothing blocks ${matches.length === 1 ? 'it' : 'them'}.`)
}

/** The ready beads of the chosen rig, or of one assignee. */
async function readyBeads(bd: BdContext, assignee: string | undefined): Promise<Bead[]> {
  const city = await bd.city()
  const prefix = await prefixOf(bd)
  const assigned = await assignedIds(bd, assignee)
  const { items } = await city.call('GET ~/beads/ready')
  return items.filter(({ id }) => (prefix === undefined || id.startsWith(`${prefix}-`)) && (assigned?.has(id) ?? true))
}

/** The open beads of an assignee; the server resolves all names of a session. */
async function assignedIds(bd: BdContext, assignee: string | undefined): Promise<Set<string> | undefined> {
  if (!assignee) return undefined
  return new Set((await bd.list({ assignee, status: 'open' })).map(({ id }) => id))
}

/** The prefix of the bead ids of the chosen rig. */
async function prefixOf(bd: BdContext): Promise<string | undefined> {
  const name = await bd.rig()
  if (!name) return undefined
  const city = await bd.city()
  const { prefix } = await city.call('GET ~/rig/{name}', { params: { name } })
  return prefix
}

async function list(bd: BdContext, filter: List): Promise<void> {
  const beads = filter.ready ? await readyBeads(bd, assigneeOf(filter)) : await listAll(bd, filter)
  const matches = beads.filter((bead) => isListMatch(bead, filter)).sort(ORDERS[filter.sort])
  if (filter.reverse) matches.reverse()
  const shown = first(matches, filter.limit)
  if (bd.print.json) return bd.printList(shown)
  if (shown.length === 0) return bd.print.line('No bead matches.')
  for (const bead of shown) bd.print.bead(bead)
  const total = countOf(matches.length, 'bead')
  bd.print.line(`\n${shown.length === matches.length ? total : `${shown.length} of ${total}`}.`)
}

/** The beads of each chosen status and type. */
async function listAll(bd: BdContext, filter: ListFilter): Promise<Bead[]> {
  const rig = await bd.rig()
  const wantsClosed = filter.all || filter.closedAfter !== undefined || filter.closedBefore !== undefined
  const beads: Bead[] = []
  for (const query of queriesOf(filter))
    beads.push(...(await bd.list({ all: wantsClosed, ...query, assignee: assigneeOf(filter), rig })))
  return beads
}

/** One query for each status and type; `all` is every status. */
function queriesOf({ status, type }: { status?: string[]; type?: string[] }): Query[] {
  const statuses: Query[] = !status
    ? [{}]
    : status.includes('all')
      ? [{ all: true }]
      : status.map((each) => ({ status: each }))
  return statuses.flatMap((query) => (type ? type.map((each) => ({ ...query, type: each })) : [query]))
}

interface Query {
  status?: string
  type?: string
  all?: boolean
}

type Order = (a: Bead, b: Bead) => number

const newestFirst: Order = (a, b) => (a.created_at < b.created_at ? 1 : -1)
const by =
  (value: (bead: Bead) => string): Order =>
  (a, b) =>
    value(a).localeCompare(value(b)) || newestFirst(a, b)

const ORDERS: Readonly<Record<string, Order>> = {
  priority: (a, b) => (a.priority ?? 2) - (b.priority ?? 2) || newestFirst(a, b),
  created: newestFirst,
  updated: (a, b) => ((a.updated_at ?? a.created_at) < (b.updated_at ?? b.created_at) ? 1 : -1),
  status: by(({ status }) => status),
  id: (a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }),
  title: by(({ title }) => title),
  type: by(({ issue_type }) => issue_type),
  assignee: by(({ assignee = '' }) => assignee),
}

const first = (beads: Bead[], limit: number): Bead[] => (limit === 0 ? beads : beads.slice(0, limit))

async function printCount(bd: BdContext, { status = ['all'], type, ...filter }: Count): Promise<void> {
  const city = await bd.city()
  const rig = await bd.rig()
  let count = 0
  for (const each of queriesOf({ status, ...(type && { type }) })) {
    const query = { ...each, assignee: filter.assignee, rig }
    count += each.type
      ? (await city.call('GET ~/beads', { query: { ...query, limit: 1 } })).total
      : await countWork(city, query)
  }
  if (bd.print.json) return bd.print.value({ count })
  bd.print.line(String(count))
}
