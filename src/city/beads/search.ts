import type { Boundary } from '../../server/cursor.ts'

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

/** One arm's FROM and WHERE; `keys` is the table whose index gives the order. */
interface Part extends Query {
  keys: 'b' | 'l'
}

/** SQL of one shape, and the values that go into it. */
export interface Query {
  sql: string
  values: (string | number)[]
}

/** One part of a list that a single index gives in order; a list merges a few of them. */
interface Arm {
  closed: 0 | 1
  assignee?: string | undefined
}

const arms = (filter: Filter): Arm[] => {
  const states: (0 | 1)[] = filter.status !== undefined ? [filter.status === 'closed' ? 1 : 0] : [0]
  if (filter.status === undefined && filter.closed === undefined) states.push(1)
  const assignees = filter.assignees ?? [undefined]
  return states.flatMap((closed) => assignees.map((assignee) => ({ closed, assignee })))
}

/** A page in the order (created_at, id), newest first, strictly after the boundary. */
export function pageQuery(filter: Filter, boundary: Boundary | undefined, limit: number): Query {
  const parts = arms(filter).map((arm) => where(filter, arm, boundary))
  const order = 'ORDER BY created_at DESC, id DESC'
  const selects = parts.map(({ sql, keys }) => `SELECT ${columns(keys)} FROM ${sql}`)
  return {
    sql: `${selects.join(' UNION ALL ')} ${order} LIMIT ?`,
    values: [...parts.flatMap((part) => part.values), limit],
  }
}

const columns = (keys: string): string =>
  `b.n AS n, b.revision AS revision, ${keys}.id AS id, ${keys}.created_at AS created_at`

/** How many beads match, as rows to be added up: from the counters where they tell, else from an index. */
export function countQuery(filter: Filter): Query {
  const table = counters(filter)
  if (table !== undefined) return counted(table, filter)
  const parts = arms(filter).map((arm) => where(filter, arm, undefined))
  return {
    sql: parts.map(({ sql }) => `SELECT count(*) AS n FROM ${sql}`).join(' UNION ALL '),
    values: parts.flatMap((part) => part.values),
  }
}

/** The table that counts what a filter lets through; none counts what is open of a label or name by its status. */
function counters({ label, assignees, status }: Filter): string | undefined {
  if (label === undefined && assignees === undefined) return 'bead_counts'
  if (status !== undefined && status !== 'closed') return undefined
  if (label === undefined) return 'bead_assignee_counts'
  return assignees === undefined ? 'bead_label_counts' : undefined
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

const timeOf = ({ createdAt }: Boundary): number => (createdAt === undefined ? 0 : Date.parse(createdAt))

/** The index that narrows most; SQLite is told, as it keeps no statistics of ours. */
function where(filter: Filter, arm: Arm, boundary: Boundary | undefined): Part {
  if (filter.label !== undefined) return labelled(filter, filter.label, arm, boundary)
  const terms = [`b.closed = ${arm.closed}`]
  const values = equalities(filter, arm, terms)
  if (boundary) {
    terms.push('(b.created_at, b.id) < (?, ?)')
    values.push(timeOf(boundary), boundary.id)
  }
  return { keys: 'b', sql: `beads b INDEXED BY ${index(filter)} WHERE ${terms.join(' AND ')}`, values }
}

function labelled(filter: Filter, label: string, arm: Arm, boundary: Boundary | undefined): Part {
  const terms = ['l.label = ?', `l.closed = ${arm.closed}`]
  const values: (string | number)[] = [label]
  if (boundary) {
    terms.push('(l.created_at, l.id) < (?, ?)')
    values.push(timeOf(boundary), boundary.id)
  }
  values.push(...equalities(filter, arm, terms))
  return { keys: 'l', sql: `bead_labels l CROSS JOIN beads b ON b.id = l.id WHERE ${terms.join(' AND ')}`, values }
}

function equalities(filter: Filter, arm: Arm, terms: string[]): (string | number)[] {
  const values: (string | number)[] = []
  const equal = (column: string, value: string | undefined) => {
    if (value === undefined) return
    terms.push(`b.${column} = ?`)
    values.push(value)
  }
  if (arm.assignee !== undefined) terms.push("b.assignee != ''")
  equal('assignee', arm.assignee)
  equal('type', filter.type)
  equal('rig', filter.rig)
  if (inHand(filter.status)) terms.push("b.status NOT IN ('open', 'closed')")
  equal('status', filter.status === 'closed' ? undefined : filter.status)
  return values
}

const inHand = (status: string | undefined) => status !== undefined && status !== 'open' && status !== 'closed'

function index(filter: Filter): string {
  if (filter.assignees !== undefined) return 'beads_by_assignee'
  if (inHand(filter.status)) return 'beads_in_hand'
  if (filter.type !== undefined) return 'beads_by_type'
  return filter.rig === undefined ? 'beads_listed' : 'beads_by_rig'
}
