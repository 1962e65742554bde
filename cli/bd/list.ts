import { type Command, Option } from 'commander'
import type { Bead } from '../../src/work/beads/schema.ts'
import { count, priority, several } from '../context/options.ts'
import { isWork, workTotal } from '../context/work.ts'
import type { Desk } from './desk.ts'

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

/** `hybrid` is a way of `bd` to put urgent work first. */
const SORTS = ['priority', 'oldest', 'hybrid']

interface Ready extends Filter {
  sort: string
}

export function listCommands(program: Command, desk: Desk): void {
  filters(program.command('ready').description('open work that nothing blocks'), 100)
    .addOption(new Option('--sort <way>', 'the most urgent first, or the oldest').choices(SORTS).default('priority'))
    .action(desk.run((filter: Ready) => ready(desk, filter)))
  filters(program.command('list').description('list beads'), 50)
    .option('-s, --status <status>', 'open, in_progress or closed')
    .option('--all', 'closed ones too')
    .option('--include-infra', 'sessions, messages and other records of the city too')
    .action(desk.run((filter: Filter) => list(desk, filter)))
  program
    .command('count')
    .description('how many beads there are')
    .option('-s, --status <status>')
    .option('-t, --type <type>')
    .option('-a, --assignee <who>')
    .action(desk.run((filter: Filter) => tally(desk, filter)))
}

const filters = (command: Command, limit: number): Command =>
  command
    .option('-n, --limit <n>', 'at most so many; 0 for all', count, limit)
    .option('-t, --type <type>')
    .option('-l, --label <labels>', 'all of these labels', several)
    .option('-a, --assignee <who>')
    .option('-u, --unassigned', 'only those nobody works on')
    .option('--no-assignee', 'the same')
    .option('-p, --priority <level>', '0 to 4', priority)
    .option('--parent <bead>')
    .option('--exclude-type <types>', 'not these types', several)
    .option('--exclude-label <labels>', 'none of these labels', several)
    .option('--metadata-field <key=value>', 'may be repeated', collect)

const collect = (text: string, before: string[] = []): string[] => [...before, text]

async function ready(desk: Desk, filter: Ready): Promise<void> {
  const city = await desk.city()
  const own = await prefixOf(desk)
  const held = await heldBy(desk, assigneeOf(filter))
  const { items } = await city.call('GET ~/beads/ready')
  const meant = ({ id }: Bead) => (own === undefined || id.startsWith(`${own}-`)) && (held?.has(id) ?? true)
  const found = items.filter((bead) => meant(bead) && fits(bead, filter))
  if (filter.sort === 'oldest') found.sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at))
  const shown = first(found, filter.limit)
  if (desk.print.json) return desk.printList(shown)
  if (shown.length === 0) return desk.print.line('No ready work: everything is taken, blocked or done.')
  for (const bead of shown) desk.print.bead(bead)
  desk.print.line(`\n${found.length} ready, nothing blocks ${found.length === 1 ? 'it' : 'them'}.`)
}

/** Open beads in somebody's name, under whichever of their names; the server knows those. */
async function heldBy(desk: Desk, assignee: string | undefined): Promise<Set<string> | undefined> {
  if (!assignee) return undefined
  return new Set((await desk.list({ assignee, status: 'open' })).map(({ id }) => id))
}

/** What the ids of the meant rig's beads begin with. */
async function prefixOf(desk: Desk): Promise<string | undefined> {
  const name = await desk.rig()
  if (!name) return undefined
  const city = await desk.city()
  const { prefix } = await city.call('GET ~/rig/{name}', { params: { name } })
  return prefix
}

async function list(desk: Desk, filter: Filter): Promise<void> {
  const rig = await desk.rig()
  const { status, type, all } = filter
  const asked = { status, type, assignee: assigneeOf(filter), all, rig }
  const hidden = !filter.includeInfra && type === undefined
  const found = (await desk.list(asked)).filter((bead) => fits(bead, filter) && (isWork(bead) || !hidden))
  const shown = first(found.sort(byUrgency), filter.limit)
  if (desk.print.json) return desk.printList(shown)
  if (shown.length === 0) return desk.print.line('No bead matches.')
  for (const bead of shown) desk.print.bead(bead)
  desk.print.line(`\n${shown.length === found.length ? shown.length : `${shown.length} of ${found.length}`} beads.`)
}

const byUrgency = (a: Bead, b: Bead): number =>
  (a.priority ?? 2) - (b.priority ?? 2) || (a.created_at < b.created_at ? 1 : -1)

const first = (beads: Bead[], limit: number): Bead[] => (limit === 0 ? beads : beads.slice(0, limit))

/** The conditions that the server does not know. */
function fits(bead: Bead, filter: Filter): boolean {
  const { type, label, priority: level, parent, excludeType, excludeLabel, metadataField } = filter
  if (type !== undefined && bead.issue_type !== type) return false
  if (isNobodys(filter) && bead.assignee) return false
  if (label && !label.every((each) => bead.labels?.includes(each))) return false
  if (level !== undefined && (bead.priority ?? 2) !== level) return false
  if (parent !== undefined && bead.parent !== parent) return false
  if (excludeType?.includes(bead.issue_type)) return false
  if (excludeLabel?.some((each) => bead.labels?.includes(each))) return false
  return (metadataField ?? []).every((field) => hasField(bead, field))
}

/** `--no-assignee` reaches us as the assignee `false`. */
const isNobodys = ({ assignee, unassigned }: Filter): boolean => unassigned === true || assignee === false

const assigneeOf = ({ assignee }: Filter): string | undefined => (typeof assignee === 'string' ? assignee : undefined)

function hasField(bead: Bead, field: string): boolean {
  const at = field.indexOf('=')
  if (at < 0) return bead.metadata?.[field] !== undefined
  return bead.metadata?.[field.slice(0, at)] === field.slice(at + 1)
}

async function tally(desk: Desk, { status, type, ...filter }: Filter): Promise<void> {
  const city = await desk.city()
  const rig = await desk.rig()
  const query = { status, type, assignee: assigneeOf(filter), rig, all: status === undefined }
  const n = type
    ? (await city.call('GET ~/beads', { query: { ...query, limit: 1 } })).total
    : await workTotal(city, query)
  if (desk.print.json) return desk.print.value({ count: n })
  desk.print.line(String(n))
}
