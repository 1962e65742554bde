import { EngineKey, WorkflowKey } from '../metadata.ts'
import type { BeadChange, BeadDraft } from './draft.ts'
import { isWorkable, type WorkflowMarks } from './readiness.ts'
import { type BeadRow, type BeadValues, fromStored, toStored } from './row.ts'

/** The priority of a bead that has none. */
export const DEFAULT_PRIORITY = 2

/** The values of a new bead; `root` is the root of the workflow it is a step of. */
export function newValues(draft: BeadDraft, id: string, now: number, root?: HistoryFlags): BeadValues {
  const type = draft.type || 'task'
  const labels = [...new Set(draft.labels)]
  return {
    id,
    rig: draft.rig ?? '',
    title: draft.title,
    status: toStatus(draft.status ?? 'open'),
    type,
    priority: draft.priority ?? null,
    assignee: draft.assignee ?? '',
    sender: draft.from ?? '',
    parent: draft.parent || null,
    ref: draft.ref ?? '',
    description: draft.description ?? '',
    labels: JSON.stringify(labels),
    ...toStored(draft.metadata ?? {}),
    ...historyFlagsOf(draft, root),
    defer_until: draft.deferUntil ?? null,
    closed_at: null,
    created_at: now,
    updated_at: now,
    workable: isWorkable(type, labels, marksOf(draft.metadata)) ? 1 : 0,
  }
}

/** The row of a bead that was just inserted with these values, before anything depends on it or it on anything. */
export const newRow = (values: BeadValues, n: number): BeadRow => ({ ...values, n, blockers: 0, edges: 0, revision: 0 })

/** The columns of a row that an update derives itself. */
type Derived = Pick<BeadRow, 'closed_at' | 'updated_at' | 'revision'>

/** A row after its values were written. */
export const rowOf = ({ n, blockers, edges }: BeadRow, values: BeadValues, derived: Derived): BeadRow => ({
  n,
  id: values.id,
  rig: values.rig,
  title: values.title,
  status: values.status,
  type: values.type,
  priority: values.priority,
  assignee: values.assignee,
  sender: values.sender,
  parent: values.parent,
  ref: values.ref,
  description: values.description,
  labels: values.labels,
  metadata: values.metadata,
  output: values.output,
  ephemeral: values.ephemeral,
  no_history: values.no_history,
  defer_until: values.defer_until,
  closed_at: derived.closed_at,
  created_at: values.created_at,
  updated_at: derived.updated_at,
  blockers,
  edges,
  revision: derived.revision,
})

/** The values of a bead after a change. */
export function changedValues(row: BeadValues, change: BeadChange): BeadValues {
  const known: string[] = JSON.parse(row.labels)
  const labels = changedLabels(known, change)
  const type = change.type ?? row.type
  const stored = change.metadata ? toStored(changedMetadata(fromStored(row), change.metadata)) : row
  return {
    id: row.id,
    rig: row.rig,
    title: change.title ?? row.title,
    status: change.status === undefined ? row.status : toStatus(change.status),
    type,
    priority: change.priority ?? row.priority,
    assignee: change.assignee ?? row.assignee,
    sender: row.sender,
    parent: change.parent === undefined ? row.parent : change.parent || null,
    ref: row.ref,
    description: change.description ?? row.description,
    labels: labels === known ? row.labels : JSON.stringify(labels),
    metadata: stored.metadata,
    output: stored.output,
    ephemeral: change.ephemeral === undefined ? row.ephemeral : Number(change.ephemeral),
    no_history: row.no_history,
    defer_until: change.deferUntil === undefined ? row.defer_until : change.deferUntil,
    closed_at: row.closed_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
    workable: isWorkable(type, labels, marksIn(stored.metadata)) ? 1 : 0,
  }
}

/** The written part of a row. */
export function valuesOf(row: BeadRow): BeadValues {
  return {
    id: row.id,
    rig: row.rig,
    title: row.title,
    status: row.status,
    type: row.type,
    priority: row.priority,
    assignee: row.assignee,
    sender: row.sender,
    parent: row.parent,
    ref: row.ref,
    description: row.description,
    labels: row.labels,
    metadata: row.metadata,
    output: row.output,
    ephemeral: row.ephemeral,
    no_history: row.no_history,
    defer_until: row.defer_until,
    closed_at: row.closed_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
    workable: isWorkable(row.type, JSON.parse(row.labels), marksIn(row.metadata)) ? 1 : 0,
  }
}

/** Metadata that keeps a bead from being offered as work. */
export const marksOf = (metadata: Readonly<Record<string, string>> = {}): WorkflowMarks => ({
  kind: metadata[WorkflowKey.kind],
  instantiating: metadata[EngineKey.instantiating],
  paused: metadata[EngineKey.paused],
})

/** The same of stored metadata; hardly any bead has one of them. */
function marksIn(metadata: string): WorkflowMarks | undefined {
  return MARKING_KEYS.some((key) => metadata.includes(key)) ? marksOf(JSON.parse(metadata)) : undefined
}

const MARKING_KEYS = [WorkflowKey.kind, EngineKey.instantiating, EngineKey.paused]

/** Each label once; the same array when a change mentions none. */
function changedLabels(current: string[], { labels = [], removeLabels = [] }: BeadChange): string[] {
  const isMentioned = labels.length > 0 || removeLabels.length > 0
  if (!isMentioned && (current.length < 2 || new Set(current).size === current.length)) return current
  return [...new Set([...current, ...labels])].filter((label) => !removeLabels.includes(label))
}

function changedMetadata(
  current: Record<string, string>,
  change: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const entries = Object.entries({ ...current, ...change })
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== null))
}

/** True if a bead is only bookkeeping, and whether its changes are kept; clients read both. */
interface HistoryFlags {
  ephemeral: number
  no_history: number
}

const WISP_LABELS = ['gc:wisp', 'wisp']
const ORDER_TRACKING_LABELS = ['gc:order-tracking', 'order-tracking']

/** Wisps are ephemeral, beads that track orders have no history, and the steps of a workflow follow its root. */
function historyFlagsOf(draft: BeadDraft, root: HistoryFlags | undefined): HistoryFlags {
  const { type, labels = [], metadata = {} } = draft
  const hasAny = (candidates: readonly string[]) => candidates.some((label) => labels.includes(label))
  const isWisp = type === 'wisp' || metadata[WorkflowKey.kind] === 'wisp' || hasAny(WISP_LABELS)
  return {
    ephemeral: draft.ephemeral || isWisp || root?.ephemeral ? 1 : 0,
    no_history: draft.noHistory || hasAny(ORDER_TRACKING_LABELS) || root?.no_history ? 1 : 0,
  }
}

/**
 * Every status that `bd` and the known system have, and whether a bead that has it is over: nothing waits for it and no
 * one works on it. `tombstone` is what older versions of `bd` left of a deleted bead.
 */
const STATUSES: Readonly<Record<string, { readonly isOver: boolean }>> = {
  open: { isOver: false },
  in_progress: { isOver: false },
  blocked: { isOver: false },
  deferred: { isOver: false },
  pinned: { isOver: false },
  hooked: { isOver: false },
  closed: { isOver: true },
  tombstone: { isOver: true },
}

/** The status that is stored for one that is given: a bead that is over is closed. Unknown ones are kept, and are not over. */
export const toStatus = (given: string): string =>
  Object.hasOwn(STATUSES, given) && STATUSES[given]?.isOver ? 'closed' : given

/** The status of a bead that was deleted. */
export const DELETED = 'tombstone'
