import { type Command, InvalidArgumentError } from 'commander'
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
  /** `false` when only those without a parent are wanted. */
  parent?: string | false
  excludeType?: string[]
  excludeLabel?: string[]
  metadataField?: string[]
  hasMetadataKey?: string[]
  molType?: string
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
  deferAfter?: number
  deferBefore?: number
  dueAfter?: number
  dueBefore?: number
  deferred?: true
  overdue?: true
  id?: string[]
  title?: string
  meta?: string[]
  createdBy?: string
  spec?: string
  wispType?: string
  /** `false` when only those without labels are wanted. */
  labels?: boolean
  root?: true
  pinned?: boolean
  priorityMin?: number
  priorityMax?: number
  labelPattern?: string
  labelRegex?: RegExp
  emptyDescription?: true
}

export const withFilters = (command: Command, limit: number): Command =>
  command
    .option('-n, --limit <n>', 'maximum rows; 0 for all', parseCount, limit)
    .option('-t, --type <type>', 'only this type; several with commas', collectList)
    .option('-l, --label <label>', 'only with this label; several with commas', collectList)
    .option('--label-any <labels>', 'only with one of these labels', collectList)
    .option('-a, --assignee <who>', 'only of this session, by its id, alias or name')
    .option('-u, --unassigned', 'only unassigned beads')
    .option('--no-assignee', 'only unassigned beads')
    .option('-p, --priority <level>', '0 to 4', parsePriority)
    .option('--parent <bead>', 'only descendants of this bead')
    .option('--exclude-type <types>', 'exclude these types', collectList)
    .option('--exclude-label <labels>', 'exclude these labels', collectList)
    .option('--metadata-field <key=value>', 'metadata; may be repeated', collect)
    .option('--has-metadata-key <key>', 'only with this metadata key; may be repeated', collect)
    .option('--mol-type <type>', 'only molecules of this type')
    .option('--include-ephemeral', 'accepted: ephemeral beads are included')

export const withListFilters = (command: Command): Command =>
  withFilters(command, 50)
    .option('--all', 'include closed beads')
    .option('--ready', 'only unblocked open beads')
    .option('--include-infra', 'include sessions, messages and other records')
    .option('--include-gates', 'include gates')
    .option('--search <words>', 'only with these words in title or description')
    .option('--title-contains <text>', 'only with this text in the title')
    .option('--desc-contains <text>', 'only with this text in the description')
    .option('--notes-contains <text>', 'only with this text in the notes')
    .option('--created-after <date>', 'created after this date or age, such as 2d', parseDate)
    .option('--created-before <date>', 'created before this time', parseDate)
    .option('--updated-after <date>', 'changed after this time', parseDate)
    .option('--updated-before <date>', 'changed before this time', parseDate)
    .option('--closed-after <date>', 'closed after this time', parseDate)
    .option('--closed-before <date>', 'closed before this time', parseDate)
    .option('--defer-after <date>', 'deferred until after this time', parseDate)
    .option('--defer-before <date>', 'deferred until before this time', parseDate)
    .option('--due-after <date>', 'due after this time', parseDate)
    .option('--due-before <date>', 'due before this time', parseDate)
    .option('--deferred', 'only deferred beads')
    .option('--overdue', 'only open beads past their due time')
    .option('--id <beads>', 'only these beads, separated by commas', collectList)
    .option('--title <text>', 'same as --title-contains')
    .option('--meta <key=value>', 'same as --metadata-field', collect)
    .option('--created-by <who>', 'only created by this name')
    .option('--spec <prefix>', 'only specifications with this prefix')
    .option('--wisp-type <type>', 'only wisps of this type')
    .option('--no-labels', 'only beads without labels')
    .option('--no-parent', 'only beads without a parent')
    .option('--root', 'same as --no-parent')
    .option('--pinned', 'only pinned beads')
    .option('--no-pinned', 'exclude pinned beads')
    .option('--priority-min <level>', 'minimum priority number', parsePriority)
    .option('--priority-max <level>', 'maximum priority number', parsePriority)
    .option('--label-pattern <pattern>', 'only with a label like tech-*')
    .option('--label-regex <expression>', 'only with a matching label', parseRegex)
    .option('--empty-description', 'only beads without a description')

/** Maximum length of an expression: it is run on labels, which are short. */
const MAX_REGEX = 200

function parseRegex(text: string): RegExp {
  if (text.length > MAX_REGEX) throw new InvalidArgumentError(`It has at most ${MAX_REGEX} characters.`)
  try {
    return new RegExp(text)
  } catch {
    throw new InvalidArgumentError('It must be a regular expression, such as tech-(debt|legacy).')
  }
}

const collect = (text: string, before: string[] = []): string[] => [...before, text]

/** True if a bead passes the filters that the server does not have. */
export function isMatch(bead: Bead, filter: Filter): boolean {
  const { type, label, labelAny, priority: level, parent, excludeType, excludeLabel } = filter
  if (type && !type.includes(bead.issue_type)) return false
  if (wantsUnassigned(filter) && bead.assignee) return false
  if (label && !label.every((each) => bead.labels?.includes(each))) return false
  if (labelAny && !labelAny.some((each) => bead.labels?.includes(each))) return false
  if (level !== undefined && (bead.priority ?? 2) !== level) return false
  if (typeof parent === 'string' && bead.parent !== parent) return false
  if (excludeType?.includes(bead.issue_type)) return false
  if (excludeLabel?.some((each) => bead.labels?.includes(each))) return false
  if (filter.molType !== undefined && bead.metadata?.mol_type !== filter.molType) return false
  if (!(filter.hasMetadataKey ?? []).every((key) => bead.metadata?.[key] !== undefined)) return false
  return (filter.metadataField ?? []).every((field) => hasField(bead, field))
}

/** True if a bead passes the filters that only lists have. */
export const isListMatch = (bead: Bead, filter: ListFilter): boolean =>
  isMatch(bead, filter) &&
  isShown(bead, filter) &&
  hasText(bead, filter) &&
  isInTime(bead, filter) &&
  isPutOff(bead, filter) &&
  isOfKind(bead, filter) &&
  hasLabels(bead, filter)

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
  if (!has(title, filter.titleContains) || !has(title, filter.title) || !has(description, filter.descContains))
    return false
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

function isPutOff({ status, defer_until, metadata }: Bead, filter: ListFilter): boolean {
  const { deferAfter, deferBefore, dueAfter, dueBefore, deferred, overdue } = filter
  const now = Date.now()
  const due = metadata?.due_at
  if (deferred && status !== 'deferred' && !(defer_until && Date.parse(defer_until) > now)) return false
  if (overdue && !(status !== 'closed' && due && Date.parse(due) < now)) return false
  return isBetween(defer_until, deferAfter, deferBefore) && isBetween(due, dueAfter, dueBefore)
}

function isOfKind(bead: Bead, filter: ListFilter): boolean {
  const { metadata = {}, priority: level = 2 } = bead
  const { id, meta = [], createdBy, spec, wispType, priorityMin = 0, priorityMax = 4 } = filter
  if (id && !id.includes(bead.id)) return false
  if ((filter.root || filter.parent === false) && bead.parent !== undefined) return false
  if (filter.pinned !== undefined && (bead.status === 'pinned') !== filter.pinned) return false
  if (level < priorityMin || level > priorityMax) return false
  if (createdBy !== undefined && metadata.created_by !== createdBy) return false
  if (spec !== undefined && !metadata.spec_id?.startsWith(spec)) return false
  if (wispType !== undefined && metadata.wisp_type !== wispType) return false
  if (filter.emptyDescription && bead.description) return false
  return meta.every((field) => hasField(bead, field))
}

function hasLabels({ labels = [] }: Bead, { labels: wants, labelPattern, labelRegex }: ListFilter): boolean {
  if (wants === false && labels.length > 0) return false
  if (labelPattern !== undefined && !labels.some((label) => isGlobMatch(label, labelPattern))) return false
  return labelRegex === undefined || labels.some((label) => labelRegex.test(label))
}

/** True if a text matches a pattern in which `*` stands for any text. */
export function isGlobMatch(text: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return text === pattern
  if (!text.startsWith(first) || text.length < first.length + last.length) return false
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.endsWith(last) && at <= text.length - last.length
}

function isBetween(timestamp: string | undefined, after: number | undefined, before: number | undefined): boolean {
  if (after === undefined && before === undefined) return true
  if (timestamp === undefined) return false
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
