import { OUTPUT } from './outputs.ts'
import type { Bead } from './schema.ts'

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
  /** What its step hands on, of which the metadata has null; see `outputs.ts`. */
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
