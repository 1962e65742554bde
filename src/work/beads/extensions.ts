import type { Tx } from '../../core/store/index.ts'
import type { Bead } from '../schema.ts'
import type { BeadValues } from './row.ts'

/** Reads the metadata that a side table holds for beads of one type, by bead id. */
export type MetadataProjection = (ids: string[]) => Map<string, Record<string, string>>

/** Writes the metadata of an imported bead of one type to the side table that holds it. */
export interface BeadImporter {
  /** True if the side table holds this key. */
  owns(key: string): boolean
  import(tx: Tx, values: BeadValues, metadata: Readonly<Record<string, string>>): void
}

/** Runs after each close of a bead of one type, in the same transaction. */
export type CloseListener = (tx: Tx, bead: Bead) => void

/** Decides whether a session may write to a bead, and follows every change in the same transaction. */
export interface BeadGuard {
  /** Throws when this session may no longer write to the bead. */
  checkWrite(tx: Tx, id: string, session: string): void
  onChanged(tx: Tx, before: Bead, after: Bead, session: string | undefined): void
  /** Follows a new bead, in the write that adds it. */
  onAdded?(tx: Tx, bead: Bead): void
}

/** Finds the session that an assignee names. */
export interface AssigneeResolver {
  /**
   * The name to store as assignee; throws `invalid-request` when it names no open session. With `materialise`, a
   * configured named session that does not exist yet is created.
   */
  resolve(tx: Tx, token: string, options: { materialise: boolean }): string
  /** Every name under which work of the session may be stored; only `token` itself when it names no session. */
  names(token: string): string[]
}

/** The name and id prefix of the city, and those of its rigs. */
export interface CityScope {
  readonly current: {
    readonly name: string
    readonly prefix: string
    readonly rigs: readonly { readonly name: string; readonly prefix: string }[]
  }
}
