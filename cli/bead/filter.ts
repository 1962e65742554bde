import type { Command } from 'commander'
import type { Bead } from '../../src/work/beads/index.ts'
import { parseDate } from '../context/dates.ts'
import { collectList, parseCount, parsePriority } from '../context/options.ts'
import { isWork } from './work.ts'

/** The filters of `bd list` and `bd ready`. */
export interface Filter {
  type?: string[]
  label?: string[]
  labelAny?: string[]
  assignee?: string | false
  unassigned?: true
  noAssignee?: true
  priority?: number
  parent?: string
  excludeType?: string[]
  excludeLabel?: string[]
  metadataField?: string[]
  hasMetadataKey?: string[]
  limit: number
}

/** The filters that only `bd list` has. */
export interface ListFilter extends Filter {
  status?: string[]
  all?: true
  ready?: true
  includeInfra?: true
  includeGates?: true
  search?: string
  titleContains?: string
  descContains?: string
  notesContains?: string
  createdAfter?: number
  createdBefore?: number
  updatedAfter?: number
  updatedBefore?: number
  closedAfter?: number
  closedBefore?: number
}

export const withFilters = (command: Command, limit: number): Command =>
  command
    .option('-n, --limit <n>', 'the maximum number; 0 for all', parseCount, limit)
    .option('-t, --type <types>', 'one of these types', collectList)
    .option('-l, --label <labels>', 'only with all of these labels', collectList)
    .option('--label-any <labels>', 'only with one of these labels', collectList)
    .option('-a, --assignee <who>', 'only of this session, by its id, alias or name')
    .option('-u, --unassigned', 'only unassigned beads')
    .option('--no-assignee', 'only unassigned beads')
    .option('-p, --priority <level>', '0 to 4', parsePriority)
    .option('--parent <bead>', 'only below this bead')
    .option('--exclude-type <types>', 'without these types', collectList)
    .option('--exclude-label <labels>', 'without these labels', collectList)
    .option('--metadata-field <key=value>', 'may be repeated', collect)
    .option('--has-metadata-key <key>', 'only with this key of metadata; may be repeated', collect)

export const withListFilters = (command: Command): Command =>
  withFilters(command, 50)
    .option('--all', 'include closed ones')
    .option('--ready', 'only open ones that nothing blocks')
    .option('--include-infra', 'include sessions, messages and other records')
    .option('--include-gates', 'include gates')
    .option('--search <words>', 'only with these words in the title or description')
    .option('--title-contains <text>', 'only with this in the title')
    .option('--desc-contains <text>', 'only with this in the description')
    .option('--notes-contains <text>', 'only with this in the notes')
    .option('--created-after <date>', 'a date, or an age such as 2d', parseDate)
    .option('--created-before <date>', '', parseDate)
    .option('--updated-after <date>', '', parseDate)
    .option('--updated-before <date>', '', parseDate)
    .option('--closed-after <date>', '', parseDate)
    .option('--closed-before <date>', '', parseDate)

const collect = (text: string, before: string[] = []): string[] => [...before, text]

/** Whether a bead passes the filters that the server does not have. */
export function isMatch(bead: Bead, filter: Filter): boolean {
  const { type, label, labelAny, priority: level, parent, excludeType, excludeLabel } = filter
  if (type && !type.includes(bead.issue_type)) return false
  if (wantsUnassigned(filter) && bead.assignee) return false
  if (label && !label.every((each) => bead.labels?.includes(each))) return false
  if (labelAny && !labelAny.some((each) => bead.labels?.includes(each))) return false
  if (level !== undefined && (bead.priority ?? 2) !== level) return false
  if (parent !== undefined && bead.parent !== parent) return false
  if (excludeType?.includes(bead.issue_type)) return false
  if (excludeLabel?.some((each) => bead.labels?.includes(each))) return false
  if (!(filter.hasMetadataKey ?? []).every((key) => bead.metadata?.[key] !== undefined)) return false
  return (filter.metadataField ?? []).every((field) => hasField(bead, field))
}

/** Whether a bead passes the filters that only lists have. */
export const isListMatch = (bead: Bead, filter: ListFilter): boolean =>
  isMatch(bead, filter) && isShown(bead, filter) && hasText(bead, filter) && isInTime(bead, filter)

/** Records of the city and gates are shown only when they are asked for. */
function isShown(bead: Bead, { type, includeInfra, includeGates }: ListFilter): boolean {
  if (type) return true
  if (bead.issue_type === 'gate') return includeGates === true
  return includeInfra === true || isWork(bead)
}

function hasText({ title, description = '', metadata }: Bead, filter: ListFilter): boolean {
  const has = (text: string, part: string | undefined) =>
    part === undefined || text.toLowerCase().includes(part.toLowerCase())
  const words = filter.search?.split(/\s+/) ?? []
  if (!words.every((word) => has(`${title}\n${description}`, word))) return false
  if (!has(title, filter.titleContains) || !has(description, filter.descContains)) return false
  return has(metadata?.notes ?? '', filter.notesContains)
}

function isInTime({ created_at, updated_at = created_at, status, metadata }: Bead, filter: ListFilter): boolean {
  const closed = filter.closedAfter !== undefined || filter.closedBefore !== undefined
  if (closed && status !== 'closed') return false
  return (
    isBetween(created_at, filter.createdAfter, filter.createdBefore) &&
    isBetween(updated_at, filter.updatedAfter, filter.updatedBefore) &&
    isBetween(metadata?.closed_at ?? updated_at, filter.closedAfter, filter.closedBefore)
  )
}

function isBetween(timestamp: string, after: number | undefined, before: number | undefined): boolean {
  const at = Date.parse(timestamp)
  return (after === undefined || at > after) && (before === undefined || at < before)
}

/** `--no-assignee` is parsed as the assignee `false`. */
const wantsUnassigned = ({ assignee, unassigned }: Filter): boolean => unassigned === true || assignee === false

export const assigneeOf = ({ assignee }: Pick<Filter, 'assignee'>): string | undefined =>
  typeof assignee === 'string' ? assignee : undefined

function hasField(bead: Bead, field: string): boolean {
  const at = field.indexOf('=')
  if (at < 0) return bead.metadata?.[field] !== undefined
  return bead.metadata?.[field.slice(0, at)] === field.slice(at + 1)
}
