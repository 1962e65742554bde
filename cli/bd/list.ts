import type { Command } from 'commander'
import type { Bead } from '../../src/city/beads/schema.ts'
import { count, priority, several } from '../commands/options.ts'
import { isWork, workTotal } from '../work.ts'
import type { Desk } from './desk.ts'

interface Filter {
  status?: string
  type?: string
  label?: string[]
  assignee?: string
  unassigned?: true
  noAssignee?: true
  priority?: number
  parent?: string
  excludeType?: string[]
  metadataField?: string[]
  all?: true
  includeInfra?: true
  limit: number
}

export function listCommands(program: Command, desk: Desk): void {
  filters(program.command('ready').description('open work that nothing blocks'), 100).action(
    desk.run((filter: Filter) => ready(desk, filter)),
  )
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
    .option('--metadata-field <key=value>', 'may be repeated', collect)

const collect = (text: string, before: string[] = []): string[] => [...before, text]

async function ready(desk: Desk, filter: Filter): Promise<void> {
  const city = await desk.city()
  const own = await prefixOf(desk)
  const { items } = await city.call('GET ~/beads/ready', {})
  const found = items.filter((bead) => (own === undefined || bead.id.startsWith(`${own}-`)) && fits(bead, filter))
  const shown = first(found, filter.limit)
  if (desk.print.json) return desk.printList(shown)
  if (shown.length === 0) return desk.print.line('No ready work: everything is taken, blocked or done.')
  for (const bead of shown) desk.print.bead(bead)
  desk.print.line(`\n${found.length} ready, nothing blocks ${found.length === 1 ? 'it' : 'them'}.`)
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
  const { status, type, assignee, all } = filter
  const asked = { status, type, assignee: typeof assignee === 'string' ? assignee : undefined, all, rig }
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
  const { type, label, priority: level, parent, excludeType, metadataField } = filter
  if (type !== undefined && bead.issue_type !== type) return false
  if (!byAssignee(bead, filter)) return false
  if (label && !label.every((each) => bead.labels?.includes(each))) return false
  if (level !== undefined && (bead.priority ?? 2) !== level) return false
  if (parent !== undefined && bead.parent !== parent) return false
  if (excludeType?.includes(bead.issue_type)) return false
  return (metadataField ?? []).every((field) => hasField(bead, field))
}

function byAssignee(bead: Bead, { assignee, unassigned }: Filter): boolean {
  // `--no-assignee` reaches us as the assignee `false`.
  if (unassigned || (assignee as unknown) === false) return !bead.assignee
  return typeof assignee !== 'string' || bead.assignee === assignee
}

function hasField(bead: Bead, field: string): boolean {
  const at = field.indexOf('=')
  if (at < 0) return bead.metadata?.[field] !== undefined
  return bead.metadata?.[field.slice(0, at)] === field.slice(at + 1)
}

async function tally(desk: Desk, { status, type, assignee }: Filter): Promise<void> {
  const city = await desk.city()
  const rig = await desk.rig()
  const query = { status, type, assignee, rig, all: status === undefined }
  const n = type
    ? (await city.call('GET ~/beads', { query: { ...query, limit: 1 } })).total
    : await workTotal(city, query)
  if (desk.print.json) return desk.print.value({ count: n })
  desk.print.line(String(n))
}
