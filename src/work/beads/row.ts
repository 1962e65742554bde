import { ResultKey } from '../metadata.ts'
import type { Bead } from '../schema.ts'

/** A bead as it is stored. */
export interface BeadRow {
  /** Its number in this city; a bead that was stored later has a higher one. */
  n: number
  id: string
  rig: string
  title: string
  status: string
  type: string
  priority: number | null
  assignee: string
  sender: string
  parent: string | null
  ref: string
  description: string
  labels: string
  metadata: string
  /** The output of its step, for which the metadata has null; see `StoredMetadata`. */
  output: string | null
  ephemeral: number
  no_history: number
  defer_until: number | null
  /** Since when it is closed; null when that is when it last changed, or when it is open. */
  closed_at: number | null
  created_at: number
  updated_at: number
  blockers: number
  edges: number
  /** Raised by every change of the row. */
  revision: number
}

/** A bead with its row, as a write read it. */
export interface StoredBead {
  readonly row: BeadRow
  readonly bead: Bead
}

/** The row of a bead without the output, which may be long. */
export type PlainRow = Omit<BeadRow, 'output'>

/** The columns of a `PlainRow`, for a SELECT. */
export const PLAIN_COLUMNS = `n, id, rig, title, status, type, priority, assignee, sender, parent, ref, description, labels,
  metadata, ephemeral, no_history, defer_until, closed_at, created_at, updated_at, blockers, edges, revision`

const KEY = ResultKey.outputJson

/** The stored metadata of a bead, with null in the place of its output, which has its own table. */
export interface StoredMetadata {
  readonly metadata: string
  /** null when it has none. */
  readonly output: string | null
}

const fromTable = (value: string): string =>
  `iif(instr(metadata, '"${KEY}":null') > 0, (SELECT ${value} FROM bead_outputs WHERE bead_outputs.n = beads.n), NULL)`

/** The output of a bead, and how many bytes that has, for a SELECT from beads; null when it has none. */
export const OUTPUT = fromTable('output')
export const OUTPUT_SIZE = fromTable('octet_length(output)')

export function toStored(metadata: Readonly<Record<string, string>>): StoredMetadata {
  const { [KEY]: output = null } = metadata
  return { metadata: JSON.stringify(output === null ? metadata : { ...metadata, [KEY]: null }), output }
}

/** A bead apart from its output. */
export function withoutOutput(bead: Bead): { rest: Bead; output: string } {
  if (!bead.metadata?.[KEY]) return { rest: bead, output: '' }
  const { [KEY]: output = '', ...metadata } = bead.metadata
  return { rest: { ...bead, metadata }, output }
}

/** True if a client sees the same of both. */
export function isSameBead(one: Bead, other: Bead): boolean {
  if (one.updated_at !== other.updated_at) return false
  const [a, b] = [withoutOutput(one), withoutOutput(other)]
  return a.output === b.output && JSON.stringify(a.rest) === JSON.stringify(b.rest)
}

export function fromStored({ metadata, output }: StoredMetadata): Record<string, string> {
  const values: Record<string, string> = JSON.parse(metadata)
  if (output !== null) values[KEY] = output
  else if (KEY in values) delete values[KEY]
  return values
}

/** The columns of a `BeadRow`, for a SELECT. */
export const ROW_COLUMNS = `${PLAIN_COLUMNS}, ${OUTPUT} AS output`

/** The columns that are written; the database derives the others. */
export const VALUE_COLUMNS = [
  'id',
  'rig',
  'title',
  'status',
  'type',
  'priority',
  'assignee',
  'sender',
  'parent',
  'ref',
  'description',
  'labels',
  'metadata',
  'ephemeral',
  'no_history',
  'defer_until',
  'closed_at',
  'created_at',
  'updated_at',
  'workable',
] as const

export type ValueColumn = (typeof VALUE_COLUMNS)[number]

/** The written part of a bead's row. */
export type BeadValues = Pick<BeadRow, Exclude<ValueColumn, 'workable'> | 'output'> & { workable: number }
