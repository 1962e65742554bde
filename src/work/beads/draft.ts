import type { Tx } from '../../core/store.ts'
import type { Bead } from './schema.ts'
import type { Written } from './writer.ts'

/** A bead about to be created. What is absent is empty; a rig that is absent is the city itself. */
export interface BeadDraft {
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

/** What to change about a bead. What is absent stays. */
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
  /** Labels to take off, after the others were added. */
  removeLabels?: readonly string[] | undefined
  /** Keys to write; null drops one. */
  metadata?: Readonly<Record<string, string | null>> | undefined
  /** null: not deferred. */
  deferUntil?: number | null | undefined
}

/** Runs in a bead's write before its event is recorded: where a side table writes what it projects. */
export type Beside = (id: string) => void

/** What a bead write takes along. */
export interface Along {
  beside?: Beside | undefined
  /** The session that asks for it; absent when it is nobody's session. */
  by?: string | undefined
  /** Who is said to have done it, where more is told than that the bead changed; absent when gc did. */
  actor?: string | undefined
}

/** Tells of more than that a bead of its type was closed, in the same write. */
export type OnClosed = (tx: Tx, bead: Bead, actor: string) => void

/** Metadata of beads of one type that a side table holds, by bead id. */
export type Projection = (ids: string[]) => Map<string, Record<string, string>>

/** Takes the metadata of an imported bead that its side table holds, and writes it there. */
export interface Intake {
  owns(key: string): boolean
  put(tx: Tx, row: Written, metadata: Readonly<Record<string, string>>): void
}

/** Who a token names. The sessions of a city answer this. */
export interface Identities {
  /**
   * The name stored as assignee for what a caller wrote; refuses with `invalid-request` when it names no open session.
   * With `materialise`, a configured named session that is not there yet is created.
   */
  resolve(tx: Tx, token: string, options: { materialise: boolean }): string
  /** Every name under which work of `token`'s session may be stored; just `token` when it is no session. */
  names(token: string): string[]
}

/** Has a say when a session writes to a bead, and follows every change in the same transaction. */
export interface BeadGuard {
  /** Refuses when this session may no longer write to the bead. */
  admit(tx: Tx, id: string, session: string): void
  changed(tx: Tx, before: Bead, after: Bead, session: string | undefined): void
}

/** Which prefixes ids get: the city's own and its rigs'. */
export interface Scopes {
  readonly current: {
    readonly name: string
    readonly prefix: string
    readonly rigs: readonly { readonly name: string; readonly prefix: string }[]
  }
}
