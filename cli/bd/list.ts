import { type Command, Option } from 'commander'
import { countOf, sanitizeLine, sanitizeLines } from '../../src/client/text.ts'
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
import { renderLive, type WatchOption } from '../context/watch.ts'
import { blockedIssues } from './blocked.ts'
import { claim } from './close.ts'
import type { BdContext } from './context.ts'
import { childrenOf, membersOf } from './molecule.ts'
import { formatPriority } from './print.ts'

/** `hybrid` is accepted because `bd` has it; it sorts by priority. */
const READY_SORTS = ['priority', 'oldest', 'hybrid']

interface Ready extends Filter {
  sort: string
  claim?: true
  explain?: true
  mol?: string
  gated?: true
}

interface List extends ListFilter, WatchOption {
  sort: string
  reverse?: true
  prefix?: string
  count?: true
  format?: string
  long?: true
  tree?: true
  pretty?: true
}

interface Count extends ListFilter {
  byStatus?: true
  byType?: true
  byPriority?: true
  byAssignee?: true
  byLabel?: true
}

export function listCommands(program: Command, bd: BdContext): void {
  withFilters(program.command('ready').description('list unblocked open work'), 100)
    .addOption(
      new Option('-s, --sort <way>', 'order: priority or oldest first').choices(READY_SORTS).default('priority'),
    )
    .option('--claim', 'claim the first bead')
    .option('--mol <molecule>', 'only steps of this molecule')
    .option('--explain', 'also show blocked beads and their blockers')
    .option('--gated', 'only beads that a gate blocked')
    .option('--include-deferred', 'accepted: deferred beads are not ready')
    .option('--plain', 'accepted')
    .option('--pretty', 'accepted')
    .action(bd.run((filter: Ready) => ready(bd, filter)))
  listCommand(program, bd)
  withListFilters(program.command('count').description('count beads'))
    .option('-s, --status <statuses>', 'status, or all; several with commas', parseStatuses)
    .option('--by-status', 'grouped by status')
    .option('--by-type', 'grouped by type')
    .option('--by-priority', 'grouped by priority')
    .option('--by-assignee', 'grouped by assignee')
    .option('--by-label', 'grouped by label')
    .action(bd.run((filter: Count, command: Command) => count(bd, filter, command)))
}

function listCommand(program: Command, bd: BdContext): void {
  withListFilters(program.command('list').description('list beads'))
    .option('-s, --status <statuses>', 'open, in_progress, closed … or all; several with commas', parseStatuses)
    .addOption(sortOption().default('priority'))
    .option('-r, --reverse', 'reverse the order')
    .option('--prefix <prefix>', 'only beads whose ids have this prefix')
    .option('--count', 'print the number of beads')
    .option('--long', 'include descriptions')
    .option('--tree', 'print each bead below its parent')
    .option('--pretty', 'same as --tree')
    .option('--format <template>', 'Go template for each, or `digraph` or `dot` for all')
    .option('-w, --watch', 'update on every change until ctrl-c')
    .option('--flat', 'accepted: lists are flat')
    .option('--short', 'accepted: each bead is one line')
    .option('--no-pager', 'accepted: gc uses none')
    .option('--skip-labels', 'accepted')
    .option('--include-templates', 'accepted: gc keeps no templates as beads')
    .action(
      bd.run(async (filter: List) => {
        if (!filter.watch) return list(bd, filter)
        await renderLive(bd.context, await bd.city(), filter, (io) => list(bd.writingTo(io), filter))
      }),
    )
}

export const sortOption = (): Option => new Option('--sort <field>', 'field to sort by').choices(Object.keys(ORDERS))

async function ready(bd: BdContext, filter: Ready): Promise<void> {
  const members = filter.mol && new Set((await membersOf(bd, filter.mol)).map(({ id }) => id))
  const gates = filter.gated ? new Set((await bd.list({ type: 'gate', all: true })).map(({ id }) => id)) : undefined
  const hadGate = ({ dependencies = [] }: Bead) => dependencies.some((each) => gates?.has(each.depends_on_id))
  const all = (await readyBeads(bd, assigneeOf(filter))).filter((bead) => isMatch(bead, filter))
  const matches = all.filter((bead) => (!members || members.has(bead.id)) && (!gates || hadGate(bead)))
  if (filter.claim) return claimReady(bd, matches)
  if (filter.sort === 'oldest') matches.sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at))
  const shown = first(matches, filter.limit)
  if (filter.explain) return explain(bd, shown)
  if (bd.print.json) return bd.printList(shown)
  if (shown.length === 0) return bd.print.line('No ready work: everything is taken, blocked or done.')
  for (const bead of shown) bd.print.bead(bead)
  bd.print.line(`\n${matches.length} ready, nothing blocks ${matches.length === 1 ? 'it' : 'them'}.`)
}

/** The ready beads, and those that wait for others. */
async function explain(bd: BdContext, shown: readonly Bead[]): Promise<void> {
  const blocked = await blockedIssues(bd)
  if (bd.print.json) {
    const summary = { total_ready: shown.length, total_blocked: blocked.length }
    return bd.print.value({ ready: await bd.issues(shown.map(({ id }) => id)), blocked, summary })
  }
  bd.print.line(`Ready (${shown.length}):`)
  for (const bead of shown) bd.print.bead(bead, '  ')
  bd.print.line(`Blocked (${blocked.length}):`)
  for (const { id, title, blocked_by: on } of blocked)
    bd.print.line(sanitizeLine(`  ${id} ${title}: waits for ${on.join(', ')}`))
}

async function claimReady(bd: BdContext, beads: readonly Bead[]): Promise<void> {
  for (const { id, assignee } of beads) {
    if (assignee || !(await claim(bd, id))) continue
    const bead = await bd.get(id)
    if (bd.print.json) return bd.printList([bead])
    return bd.print.line(`✓ Claimed ${id} — ${sanitizeLine(bead.title)}`)
  }
  if (bd.print.json) return bd.print.value([])
  bd.print.line('No ready work to claim.')
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
  const prefix = filter.prefix?.replace(/-$/, '')
  const isOfPrefix = ({ id }: Bead) => prefix === undefined || id.startsWith(`${prefix}-`)
  const matches = beads.filter((bead) => isOfPrefix(bead) && isListMatch(bead, filter)).sort(ORDERS[filter.sort])
  if (filter.reverse) matches.reverse()
  if (filter.count) return printNumber(bd, matches.length)
  const shown = first(matches, filter.limit)
  if (filter.format !== undefined) return printFormatted(bd, shown, filter.format)
  if (bd.print.json) return bd.printList(shown)
  if (shown.length === 0) return bd.print.line('No bead matches.')
  if (filter.tree || filter.pretty) printTree(bd, shown)
  else
    for (const bead of shown) {
      bd.print.bead(bead)
      if (filter.long && bead.description)
        bd.print.line(`    ${sanitizeLines(bead.description).replaceAll('\n', '\n    ')}`)
    }
  const total = countOf(matches.length, 'bead')
  bd.print.line(`\n${shown.length === matches.length ? total : `${shown.length} of ${total}`}.`)
}

/** Each bead below its parent, if that is among them. */
function printTree({ print }: BdContext, beads: readonly Bead[]): void {
  const ids = new Set(beads.map(({ id }) => id))
  const children = Map.groupBy(beads, ({ parent }) => (parent && ids.has(parent) ? parent : ''))
  const printBelow = (parent: string, depth: number) => {
    for (const bead of children.get(parent) ?? []) {
      print.bead(bead, '  '.repeat(depth))
      if (depth < beads.length) printBelow(bead.id, depth + 1)
    }
  }
  printBelow('', 0)
}

async function printFormatted(bd: BdContext, beads: readonly Bead[], format: string): Promise<void> {
  const ids = new Set(beads.map(({ id }) => id))
  const edges = beads.flatMap(({ id, dependencies = [] }) =>
    dependencies.filter((each) => ids.has(each.depends_on_id)).map((each) => [id, each.depends_on_id] as const),
  )
  if (format === 'digraph') return edges.forEach(([from, to]) => void bd.print.line(`${from} ${to}`))
  if (format === 'dot') {
    bd.print.line('digraph beads {')
    for (const { id, title } of beads)
      bd.print.line(`  "${id}" [label="${id}: ${sanitizeLine(title).replace(/["\\]/g, ' ')}"];`)
    for (const [from, to] of edges) bd.print.line(`  "${from}" -> "${to}";`)
    return bd.print.line('}')
  }
  if (format === 'json') return bd.printer(true).value(await bd.issues(beads.map(({ id }) => id)))
  const { renderer } = await import('../context/json-options.ts')
  const render = await renderer(format)
  for (const issue of await bd.issues(beads.map(({ id }) => id))) bd.print.line(sanitizeLines(render(issue)))
}

/** The beads of each chosen status and type. */
async function listAll(bd: BdContext, filter: ListFilter): Promise<Bead[]> {
  const rig = await bd.rig()
  const wantsClosed = filter.all || filter.closedAfter !== undefined || filter.closedBefore !== undefined
  // The server resolves the names of an assignee, but it does not list by parent.
  if (typeof filter.parent === 'string' && assigneeOf(filter) === undefined) {
    const { status: wanted } = filter
    const isWanted = ({ status }: Bead) => (wanted ? wanted.includes(status) : wantsClosed || status !== 'closed')
    return (await childrenOf(bd, filter.parent)).filter((bead) => wanted?.includes('all') || isWanted(bead))
  }
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

export const ORDERS: Readonly<Record<string, Order>> = {
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

/** The filters that the server can count by. */
const COUNTED: ReadonlySet<string> = new Set(['status', 'type', 'assignee', 'limit'])

async function count(bd: BdContext, given: Count, command: Command): Promise<void> {
  const filter: Count = { ...given, status: given.status ?? ['all'] }
  const names = Object.keys(given).filter((name) => command.getOptionValueSource(name) === 'cli')
  if (names.every((name) => COUNTED.has(name))) return printNumber(bd, await countByServer(bd, filter))
  const beads = (await listAll(bd, filter)).filter((bead) => isListMatch(bead, filter))
  const groupsOf = groupingOf(filter)
  if (!groupsOf) return printNumber(bd, beads.length)
  const counts = new Map<string, number>()
  for (const bead of beads) for (const group of groupsOf(bead)) counts.set(group, (counts.get(group) ?? 0) + 1)
  const groups = [...counts].map(([group, n]) => ({ group, count: n })).sort((a, b) => (a.group < b.group ? -1 : 1))
  if (bd.print.json) return bd.print.value({ total: beads.length, groups })
  bd.print.line(`Total: ${beads.length}\n`)
  for (const { group, count: n } of groups) bd.print.line(sanitizeLine(`${group}: ${n}`))
}

async function countByServer(bd: BdContext, filter: Count): Promise<number> {
  const city = await bd.city()
  const rig = await bd.rig()
  let total = 0
  for (const each of queriesOf(filter)) {
    const query = { ...each, assignee: assigneeOf(filter), rig }
    total += each.type
      ? (await city.call('GET ~/beads', { query: { ...query, limit: 1 } })).total
      : await countWork(city, query)
  }
  return total
}

/** The groups of a bead that a count is for. */
function groupingOf(filter: Count): ((bead: Bead) => string[]) | undefined {
  if (filter.byStatus) return ({ status }) => [status]
  if (filter.byType) return ({ issue_type: type }) => [type]
  if (filter.byPriority) return (bead) => [formatPriority(bead)]
  if (filter.byAssignee) return ({ assignee }) => [assignee ?? '(unassigned)']
  if (filter.byLabel) return ({ labels = [] }) => (labels.length > 0 ? labels : ['(no labels)'])
  return undefined
}

function printNumber({ print }: BdContext, count: number): void {
  if (print.json) print.value({ count })
  else print.line(String(count))
}
