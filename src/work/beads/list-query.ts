import type { Boundary } from '../../http/respond/index.ts'

/** Filter of a list of beads. What is absent does not matter; `closed: false` leaves out the closed ones. */
export interface ListFilter {
  status?: string | undefined
  closed?: boolean | undefined
  type?: string | undefined
  label?: string | undefined
  rig?: string | undefined
  /** Any of these names. */
  assignees?: readonly string[] | undefined
}

/** A term that an index leads with, in the order of lists; a table counts the beads of each of its values. */
export type LeadingTerm = (typeof LEADING_TERMS)[number]

const LEADING_TERMS = ['label', 'assignee', 'type', 'rig'] as const

/** The part of a list to read: strictly after one position, and no further than another. */
export interface PageRange {
  after?: Boundary | undefined
  until?: Boundary | undefined
}

export interface Query {
  sql: string
  values: (string | number)[]
}

/** One SELECT of a list, which a single index gives in order; a list merges a few of them. */
interface Branch {
  closed: 0 | 1
  lead: LeadingTerm | undefined
  /** The one name that leads. */
  assignee?: string | undefined
}

interface Predicate {
  where: string
  values: (string | number)[]
}

/** The terms that could lead, the usually most selective first. */
export const leadingTerms = ({ assignees, ...filter }: ListFilter): LeadingTerm[] =>
  LEADING_TERMS.filter((term) => (term === 'assignee' ? assignees : filter[term]) !== undefined)

const showsClosed = ({ status, closed }: ListFilter): boolean =>
  status === 'closed' || (status === undefined && closed === undefined)

/** True if closed beads must be scanned: those that one term finds need not match the others. */
export const scansClosed = (filter: ListFilter): boolean => showsClosed(filter) && leadingTerms(filter).length > 1

/** The versions of a page's beads, newest first by (created_at, id); closed beads are found by `lead`. */
export function pageQuery(filter: ListFilter, lead: LeadingTerm | undefined, range: PageRange, limit: number): Query {
  const parts = branchesOf(filter, lead).map((branch) => ({ branch, ...predicateOf(filter, branch, range) }))
  const isMerged = parts.length > 1
  const selects = parts.map(
    ({ branch, where }) => `SELECT ${columnsOf(branch.lead, isMerged)} FROM ${tableOf(filter, branch)} WHERE ${where}`,
  )
  const keys = isMerged ? '' : `${keyTableOf(parts[0]?.branch.lead)}.`
  return {
    sql: `${selects.join(' UNION ALL ')} ORDER BY ${keys}created_at DESC, ${keys}id DESC LIMIT ?`,
    values: [...parts.flatMap(({ values }) => values), limit],
  }
}

/** Number of matching beads, as rows to sum: from counters if they cover it, else from the open beads. */
export function countQuery(filter: ListFilter): Query {
  const table = counterTable(filter)
  if (table !== undefined) return counterQuery(table, filter)
  const parts = branchesOf(filter, undefined).map((branch) => ({ branch, ...predicateOf(filter, branch, {}) }))
  return {
    sql: parts
      .map(({ branch, where }) => `SELECT count(*) AS n FROM ${tableOf(filter, branch)} WHERE ${where}`)
      .join(' UNION ALL '),
    values: parts.flatMap(({ values }) => values),
  }
}

/** Number of closed beads that match the leading term. */
export const closedCountQuery = (filter: ListFilter, lead: LeadingTerm): Query =>
  countQuery({ ...onlyTerm(filter, lead), status: 'closed' })

/** The position of the closed bead `offset` rows further, for each index that is read; none where there are fewer. */
export function horizonQueries(
  filter: ListFilter,
  lead: LeadingTerm,
  after: Boundary | undefined,
  offset: number,
): Query[] {
  const closed = branchesOf(filter, lead).filter((branch) => branch.closed === 1)
  return closed.map((branch) => {
    const { where, values } = predicateOf(onlyTerm(filter, lead), branch, { after })
    const table = lead === 'label' ? 'bead_labels l' : tableOf(filter, branch)
    return {
      sql: `SELECT id, created_at FROM ${table} WHERE ${where} ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET ?`,
      values: [...values, offset],
    }
  })
}

function branchesOf(filter: ListFilter, lead: LeadingTerm | undefined): Branch[] {
  const open = filter.status === 'closed' ? [] : [{ closed: 0, lead: leadingTerms(filter)[0] } as const]
  const closed = showsClosed(filter) ? [{ closed: 1, lead } as const] : []
  return [...open, ...closed].flatMap((branch) =>
    branch.lead === 'assignee' ? (filter.assignees ?? []).map((assignee) => ({ ...branch, assignee })) : [branch],
  )
}

const onlyTerm = (filter: ListFilter, lead: LeadingTerm): ListFilter =>
  lead === 'assignee' ? { assignees: filter.assignees } : { [lead]: filter[lead] }

/** The alias of the table whose keys order a branch: that of labels or that of beads. */
const keyTableOf = (lead: LeadingTerm | undefined): 'l' | 'b' => (lead === 'label' ? 'l' : 'b')

/** The version of a bead; rows of several branches also have the keys by which they are merged. */
function columnsOf(lead: LeadingTerm | undefined, isMerged: boolean): string {
  const version = 'b.n AS n, b.revision AS revision'
  const keys = keyTableOf(lead)
  return isMerged ? `${version}, ${keys}.id AS id, ${keys}.created_at AS created_at` : version
}

/** The table that counts what a filter matches; none counts the open beads of a label or name by their status. */
function counterTable({ label, assignees, status }: ListFilter): string | undefined {
  if (label === undefined && assignees === undefined) return 'bead_counts'
  if (status !== undefined && status !== 'closed') return undefined
  return label === undefined ? 'bead_assignee_counts' : 'bead_label_counts'
}

function counterQuery(table: string, { label, assignees, closed, status, type, rig }: ListFilter): Query {
  const isClosed = table === 'bead_counts' ? "(status = 'closed')" : 'closed'
  const terms = ['1']
  if (closed === false) terms.push(`${isClosed} = 0`)
  if (status === 'closed') terms.push(`${isClosed} = 1`)
  if (assignees !== undefined) terms.push(`assignee IN (${assignees.map(() => '?').join(', ')})`)
  const values = [...(assignees ?? [])]
  const equals = { label, type, rig, status: status === 'closed' ? undefined : status }
  for (const [column, value] of Object.entries(equals)) {
    if (value === undefined) continue
    terms.push(`${column} = ?`)
    values.push(value)
  }
  return { sql: `SELECT sum(n) AS n FROM ${table} WHERE ${terms.join(' AND ')}`, values }
}

/** The beads of a branch in its order. The index is named, as SQLite keeps no statistics of this database. */
const tableOf = ({ status }: ListFilter, { lead }: Branch): string =>
  lead === 'label' ? 'bead_labels l CROSS JOIN beads b ON b.id = l.id' : `beads b INDEXED BY ${indexOf(lead, status)}`

function predicateOf(filter: ListFilter, { closed, lead, assignee }: Branch, { after, until }: PageRange): Predicate {
  const { label, assignees, type, rig, status } = filter
  const terms: string[] = []
  const values: (string | number)[] = []
  const add = (term: string, ...termValues: (string | number)[]) => {
    terms.push(term)
    values.push(...termValues)
  }
  const keys = keyTableOf(lead)
  add(`${keys}.closed = ${closed}`)
  if (lead === 'label') add('l.label = ?', label ?? '')
  if (after) add(`(${keys}.created_at, ${keys}.id) < (?, ?)`, timestampOf(after), after.id)
  if (until) add(`(${keys}.created_at, ${keys}.id) >= (?, ?)`, timestampOf(until), until.id)
  if (assignee !== undefined) add("b.assignee != '' AND b.assignee = ?", assignee)
  else if (assignees) add(`b.assignee IN (${assignees.map(() => '?').join(', ')})`, ...assignees)
  if (label !== undefined && lead !== 'label') add(HAS_LABEL, label)
  if (type !== undefined) add('b.type = ?', type)
  if (rig !== undefined) add('b.rig = ?', rig)
  if (isInProgress(status)) add("b.status NOT IN ('open', 'closed')")
  if (status !== undefined && status !== 'closed') add('b.status = ?', status)
  return { where: terms.join(' AND '), values }
}

const HAS_LABEL =
  'EXISTS (SELECT 1 FROM bead_labels l WHERE l.label = ? AND (l.closed, l.created_at, l.id) = (b.closed, b.created_at, b.id))'

const timestampOf = ({ createdAt }: Boundary): number => (createdAt === undefined ? 0 : Date.parse(createdAt))

const isInProgress = (status: string | undefined) => status !== undefined && status !== 'open' && status !== 'closed'

function indexOf(lead: LeadingTerm | undefined, status: string | undefined): string {
  if (lead === 'assignee') return 'beads_by_assignee'
  if (isInProgress(status)) return 'beads_in_hand'
  if (lead === 'type') return 'beads_by_type'
  return lead === 'rig' ? 'beads_by_rig' : 'beads_listed'
}
