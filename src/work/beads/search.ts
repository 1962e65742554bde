import type { Boundary } from '../../http/cursor.ts'

/** Which beads a list shows. What is absent does not matter; `closed: false` leaves out the closed ones. */
export interface Filter {
  status?: string | undefined
  closed?: boolean | undefined
  type?: string | undefined
  label?: string | undefined
  rig?: string | undefined
  /** Any of these names. */
  assignees?: readonly string[] | undefined
}

/** What of a filter beads are found by: each has an index in the order of lists, and a table that counts them. */
export type Lead = (typeof LEADS)[number]

/** What of a list is looked at: strictly after one place, and no further than another. */
export interface Stretch {
  after?: Boundary | undefined
  until?: Boundary | undefined
}

/** SQL of one shape, and the values that go into it. */
export interface Query {
  sql: string
  values: (string | number)[]
}

/** One part of a list that a single index gives in order; a list merges a few of them. */
interface Arm {
  closed: 0 | 1
  lead: Lead | undefined
  /** The one name that leads. */
  assignee?: string | undefined
}

const LEADS = ['label', 'assignee', 'type', 'rig'] as const

/** The terms of one arm, and the values in them. */
interface Part {
  where: string
  values: (string | number)[]
}

/** What could lead, in the order in which it usually narrows. */
export const leads = ({ assignees, ...filter }: Filter): Lead[] =>
  LEADS.filter((lead) => (lead === 'assignee' ? assignees : filter[lead]) !== undefined)

const showsClosed = ({ status, closed }: Filter): boolean =>
  status === 'closed' || (status === undefined && closed === undefined)

/** Whether closed beads have to be sifted: those that one term finds need not match the others. */
export const sifts = (filter: Filter): boolean => showsClosed(filter) && leads(filter).length > 1

/** A page in the order (created_at, id), newest first; closed beads are found by `lead`. */
export function pageQuery(filter: Filter, lead: Lead | undefined, stretch: Stretch, limit: number): Query {
  const parts = arms(filter, lead).map((arm) => ({ arm, ...part(filter, arm, stretch) }))
  const selects = parts.map(
    ({ arm, where }) => `SELECT ${columns(keysOf(arm.lead))} FROM ${beads(filter, arm)} WHERE ${where}`,
  )
  return {
    sql: `${selects.join(' UNION ALL ')} ORDER BY created_at DESC, id DESC LIMIT ?`,
    values: [...parts.flatMap(({ values }) => values), limit],
  }
}

/** How many beads match, as rows to be added up: from the counters where they tell, else from what is open. */
export function countQuery(filter: Filter): Query {
  const table = counters(filter)
  if (table !== undefined) return counted(table, filter)
  const parts = arms(filter, undefined).map((arm) => ({ arm, ...part(filter, arm, {}) }))
  return {
    sql: parts
      .map(({ arm, where }) => `SELECT count(*) AS n FROM ${beads(filter, arm)} WHERE ${where}`)
      .join(' UNION ALL '),
    values: parts.flatMap(({ values }) => values),
  }
}

/** How many closed beads there are of what leads. */
export const closedQuery = (filter: Filter, lead: Lead): Query =>
  countQuery({ ...only(filter, lead), status: 'closed' })

/** The place of the closed bead so far down what leads, for each index that is read; none where there are fewer. */
export function horizonQueries(filter: Filter, lead: Lead, after: Boundary | undefined, down: number): Query[] {
  const closed = arms(filter, lead).filter((arm) => arm.closed === 1)
  return closed.map((arm) => {
    const { where, values } = part(only(filter, lead), arm, { after })
    const from = lead === 'label' ? 'bead_labels l' : beads(filter, arm)
    return {
      sql: `SELECT id, created_at FROM ${from} WHERE ${where} ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET ?`,
      values: [...values, down],
    }
  })
}

function arms(filter: Filter, lead: Lead | undefined): Arm[] {
  const open = filter.status === 'closed' ? [] : [{ closed: 0, lead: leads(filter)[0] } as const]
  const closed = showsClosed(filter) ? [{ closed: 1, lead } as const] : []
  return [...open, ...closed].flatMap((arm) =>
    arm.lead === 'assignee' ? (filter.assignees ?? []).map((assignee) => ({ ...arm, assignee })) : [arm],
  )
}

const only = (filter: Filter, lead: Lead): Filter =>
  lead === 'assignee' ? { assignees: filter.assignees } : { [lead]: filter[lead] }

const keysOf = (lead: Lead | undefined): 'l' | 'b' => (lead === 'label' ? 'l' : 'b')

const columns = (keys: string): string =>
  `b.n AS n, b.revision AS revision, ${keys}.id AS id, ${keys}.created_at AS created_at`

/** The table that counts what a filter lets through; none counts what is open of a label or name by its status. */
function counters({ label, assignees, status }: Filter): string | undefined {
  if (label === undefined && assignees === undefined) return 'bead_counts'
  if (status !== undefined && status !== 'closed') return undefined
  return label === undefined ? 'bead_assignee_counts' : 'bead_label_counts'
}

function counted(table: string, { label, assignees, closed, status, type, rig }: Filter): Query {
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

/** The beads of an arm in its order. SQLite is told the index, as it keeps no statistics of ours. */
const beads = ({ status }: Filter, { lead }: Arm): string =>
  lead === 'label' ? 'bead_labels l CROSS JOIN beads b ON b.id = l.id' : `beads b INDEXED BY ${index(lead, status)}`

/** Which of them it shows. */
function part(filter: Filter, { closed, lead, assignee }: Arm, { after, until }: Stretch): Part {
  const { label, assignees, type, rig, status } = filter
  const terms: string[] = []
  const values: (string | number)[] = []
  const add = (term: string, ...given: (string | number)[]) => {
    terms.push(term)
    values.push(...given)
  }
  const keys = keysOf(lead)
  add(`${keys}.closed = ${closed}`)
  if (lead === 'label') add('l.label = ?', label ?? '')
  if (after) add(`(${keys}.created_at, ${keys}.id) < (?, ?)`, timeOf(after), after.id)
  if (until) add(`(${keys}.created_at, ${keys}.id) >= (?, ?)`, timeOf(until), until.id)
  if (assignee !== undefined) add("b.assignee != '' AND b.assignee = ?", assignee)
  else if (assignees) add(`b.assignee IN (${assignees.map(() => '?').join(', ')})`, ...assignees)
  if (label !== undefined && lead !== 'label') add(LABELLED, label)
  if (type !== undefined) add('b.type = ?', type)
  if (rig !== undefined) add('b.rig = ?', rig)
  if (inHand(status)) add("b.status NOT IN ('open', 'closed')")
  if (status !== undefined && status !== 'closed') add('b.status = ?', status)
  return { where: terms.join(' AND '), values }
}

const LABELLED =
  'EXISTS (SELECT 1 FROM bead_labels l WHERE l.label = ? AND (l.closed, l.created_at, l.id) = (b.closed, b.created_at, b.id))'

const timeOf = ({ createdAt }: Boundary): number => (createdAt === undefined ? 0 : Date.parse(createdAt))

const inHand = (status: string | undefined) => status !== undefined && status !== 'open' && status !== 'closed'

function index(lead: Lead | undefined, status: string | undefined): string {
  if (lead === 'assignee') return 'beads_by_assignee'
  if (inHand(status)) return 'beads_in_hand'
  if (lead === 'type') return 'beads_by_type'
  return lead === 'rig' ? 'beads_by_rig' : 'beads_listed'
}
