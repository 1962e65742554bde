import type { BeadChange, BeadDraft } from './draft.ts'
import type { BeadRow } from './reader.ts'
import { isWorkable } from './readiness.ts'
import { type Tier, tierOf } from './tier.ts'
import type { Written } from './writer.ts'

/** The row of a new bead; `root` is that of the run it is a step of. */
export function drafted(draft: BeadDraft, id: string, now: number, root?: Tier): Written {
  const type = draft.type || 'task'
  const labels = [...new Set(draft.labels)]
  return {
    id,
    rig: draft.rig ?? '',
    title: draft.title,
    status: draft.status ?? 'open',
    type,
    priority: draft.priority ?? null,
    assignee: draft.assignee ?? '',
    sender: draft.from ?? '',
    parent: draft.parent || null,
    ref: draft.ref ?? '',
    description: draft.description ?? '',
    labels: JSON.stringify(labels),
    metadata: JSON.stringify(draft.metadata ?? {}),
    ...tierOf(draft, root),
    defer_until: draft.deferUntil ?? null,
    created_at: now,
    updated_at: now,
    workable: isWorkable(type, labels) ? 1 : 0,
  }
}

/** The row as it is after a change. */
export function changed(row: BeadRow, change: BeadChange): Written {
  const labels = relabelled(JSON.parse(row.labels), change)
  const type = change.type ?? row.type
  return {
    ...written(row),
    title: change.title ?? row.title,
    status: change.status ?? row.status,
    type,
    priority: change.priority ?? row.priority,
    assignee: change.assignee ?? row.assignee,
    description: change.description ?? row.description,
    parent: change.parent === undefined ? row.parent : change.parent || null,
    labels: JSON.stringify(labels),
    metadata: change.metadata ? JSON.stringify(merged(JSON.parse(row.metadata), change.metadata)) : row.metadata,
    defer_until: change.deferUntil === undefined ? row.defer_until : change.deferUntil,
    workable: isWorkable(type, labels) ? 1 : 0,
  }
}

/** The written part of a stored row. */
export function written({ n: _, blockers: __, edges: ___, ...row }: BeadRow): Written {
  return { ...row, workable: isWorkable(row.type, JSON.parse(row.labels)) ? 1 : 0 }
}

function relabelled(present: string[], { labels = [], removeLabels = [] }: BeadChange): string[] {
  return [...new Set([...present, ...labels])].filter((label) => !removeLabels.includes(label))
}

function merged(
  present: Record<string, string>,
  change: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const entries = Object.entries({ ...present, ...change })
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== null))
}
