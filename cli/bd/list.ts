import { type Command, Option } from 'commander'
import type { Bead } from '../../src/work/beads/schema.ts'
import { collectList, parseCount, parsePriority } from '../context/options.ts'
import { countWork, isWork } from '../context/work.ts'
import type { BdContext } from './context.ts'

interface Filter {
  status?: string
  type?: string
  label?: string[]
  assignee?: string | false
  unassigned?: true
  noAssignee?: true
  priority?: number
  parent?: string
  excludeType?: string[]
  excludeLabel?: string[]
  metadataField?: string[]
  all?: true
  includeInfra?: true
  limit: number
}

/** `hybrid` is accepted because `bd` has it; it sorts by priority. */
const SORTS = ['priority', 'oldest', 'hybrid']

interface Ready extends Filter {
  sort: string
}

export function listCommands(program: Command, bd: BdContext): void {
  filters(program.command('ready').description('list open work that nothing blocks'), 100)
    .addOption(new Option('--sort <way>', 'the most urgent first, or the oldest').choices(SORTS).default('priority'))
    .action(bd.run((filter: Ready) => ready(bd, filter)))
  filters(program.command('list').description('list beads'), 50)
    .option('-s, --status <status>', 'open, in_progress or closed')
    .option('--all', 'include closed ones')
    .option('--include-infra', 'include sessions, messages and other records')
    .action(bd.run((filter: Filter) => list(bd, filter)))
  program
    .command('count')
    .description('count beads')
    .option('-s, --status <status>')
    .option('-t, --type <type>')
    .option('-a, --assignee <who>')
    .action(bd.run((filter: Filter) => tally(bd, filter)))
}

const filters = (command: Command, limit: number): Command =>
  command
    .option('-n, --limit <n>', 'the maximum number; 0 for all', parseCount, limit)
    .option('-t, --type <type>')
    .option('-l, --label <labels>', 'only with all of these labels', collectList)
    .option('-a, --assignee <who>')
    .option('-u, --unassigned', 'only unassigned beads')
    .option('--no-assignee', 'only unassigned beads')
    .option('-p, --priority <level>', '0 to 4', parsePriority)
    .option('--parent <bead>')
    .option('--exclude-type <types>', 'without these types', collectList)
    .option('--exclude-label <labels>', 'without these labels', collectList)
    .option('--metadata-field <key=value>', 'may be repeated', collect)

const collect = (text: string, before: string[] = []): string[] => [...before, text]

async function ready(bd: BdContext, filter: Ready): Promise<void> {
  const city = await bd.city()
  const prefix = await prefixOf(bd)
  const assigned = await assignedIds(bd, assigneeOf(filter))
  const { items } = await city.call('GET ~/beads/ready')
  const isInScope = ({ id }: Bead) =>
    (prefix === undefined || id.startsWith(`${prefix}-`)) && (assigned?.has(id) ?? true)
  const matches = items.filter((bead) => isInScope(bead) && isMatch(bead, filter))
  if (filter.sort === 'oldest') matches.sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at))
  const shown = first(matches, filter.limit)
  if (bd.print.json) return bd.printList(shown)
  if (shown.length === 0) return bd.print.line('No ready work: everything is taken, blocked or done.')
  for (const bead of shown) bd.print.bead(bead)
  bd.print.line(`\n${matches.length} ready, nothing blocks ${matches.length === 1 ? 'it' : 'them'}.`)
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

async function list(bd: BdContext, filter: Filter): Promise<void> {
  const rig = await bd.rig()
  const { status, type, all } = filter
  const query = { status, type, assignee: assigneeOf(filter), all, rig }
  const hidden = !filter.includeInfra && type === undefined
  const matches = (await bd.list(query)).filter((bead) => isMatch(bead, filter) && (isWork(bead) || !hidden))
  const shown = first(matches.sort(byUrgency), filter.limit)
  if (bd.print.json) return bd.printList(shown)
  if (shown.length === 0) return bd.print.line('No bead matches.')
  for (const bead of shown) bd.print.bead(bead)
  bd.print.line(`\n${shown.length === matches.length ? shown.length : `${shown.length} of ${matches.length}`} beads.`)
}

const byUrgency = (a: Bead, b: Bead): number =>
  (a.priority ?? 2) - (b.priority ?? 2) || (a.created_at < b.created_at ? 1 : -1)

const first = (beads: Bead[], limit: number): Bead[] => (limit === 0 ? beads : beads.slice(0, limit))

/** The filters that the server does not have. */
function isMatch(bead: Bead, filter: Filter): boolean {
  const { type, label, priority: level, parent, excludeType, excludeLabel, metadataField } = filter
  if (type !== undefined && bead.issue_type !== type) return false
  if (wantsUnassigned(filter) && bead.assignee) return false
  if (label && !label.every((each) => bead.labels?.includes(each))) return false
  if (level !== undefined && (bead.priority ?? 2) !== level) return false
  if (parent !== undefined && bead.parent !== parent) return false
  if (excludeType?.includes(bead.issue_type)) return false
  if (excludeLabel?.some((each) => bead.labels?.includes(each))) return false
  return (metadataField ?? []).every((field) => hasField(bead, field))
}

/** `--no-assignee` is parsed as the assignee `false`. */
const wantsUnassigned = ({ assignee, unassigned }: Filter): boolean => unassigned === true || assignee === false

const assigneeOf = ({ assignee }: Filter): string | undefined => (typeof assignee === 'string' ? assignee : undefined)

function hasField(bead: Bead, field: string): boolean {
  const at = field.indexOf('=')
  if (at < 0) return bead.metadata?.[field] !== undefined
  return bead.metadata?.[field.slice(0, at)] === field.slice(at + 1)
}

async function tally(bd: BdContext, { status, type, ...filter }: Filter): Promise<void> {
  const city = await bd.city()
  const rig = await bd.rig()
  const query = { status, type, assignee: assigneeOf(filter), rig, all: status === undefined }
  const n = type
    ? (await city.call('GET ~/beads', { query: { ...query, limit: 1 } })).total
    : await countWork(city, query)
  if (bd.print.json) return bd.print.value({ count: n })
  bd.print.line(String(n))
}
