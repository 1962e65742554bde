import type { BeadValues } from './row.ts'

/** A bead to create. What is absent is empty; without a rig it belongs to the city itself. */
export interface BeadDraft {
  /** One that was reserved for it; absent: the next. */
  id?: string | undefined
  title: string
  rig?: string | undefined
  type?: string | undefined
  status?: string | undefined
  priority?: number | undefined
  assignee?: string | undefined
  from?: string | undefined
  parent?: string | undefined
  ref?: string | undefined
  /** Dependencies to create with it: `id` blocks it, `type:id` depends otherwise. */
  needs?: readonly string[] | undefined
  description?: string | undefined
  labels?: readonly string[] | undefined
  metadata?: Readonly<Record<string, string>> | undefined
  ephemeral?: boolean | undefined
  noHistory?: boolean | undefined
  deferUntil?: number | undefined
}

/** A change of a bead. What is absent stays. */
export interface BeadChange {
  title?: string | undefined
  status?: string | undefined
  type?: string | undefined
  priority?: number | undefined
  assignee?: string | undefined
  description?: string | undefined
  /** Empty or null: no parent. */
  parent?: string | null | undefined
  /** Labels to add. */
  labels?: readonly string[] | undefined
  /** Labels to remove, after the others were added. */
  removeLabels?: readonly string[] | undefined
  /** Keys to write; null removes one. */
  metadata?: Readonly<Record<string, string | null>> | undefined
  ephemeral?: boolean | undefined
  /** null: not deferred. */
  deferUntil?: number | null | undefined
}

/** A bead of a graph, with an id that was reserved for it. */
export interface GraphBead extends BeadDraft {
  id: string
}

/** A new bead that was found to be right. */
export interface PreparedBead {
  values: BeadValues
  needs: readonly string[]
}

export interface WriteOptions {
  /** Writes what a side table projects; runs before the event of the write is recorded. */
  writeSideTable?: ((id: string) => void) | undefined
  /** The session that makes the change; absent when no session does. */
  session?: string | undefined
}
