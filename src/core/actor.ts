import type { SQLQueryBindings } from 'bun:sqlite'

/** A request that can be repeated: it carries an `Idempotency-Key`. */
export interface RepeatableRequest {
  /** An earlier attempt with the same key and body was interrupted: what exists may be its result. */
  readonly isRetry: boolean
  /**
   * Records that work which is not a write of the store begins, such as writing a file. To be awaited right before it, once
   * every check has passed.
   */
  begin(): Promise<void>
  /** Stores the result of a write of `store` as the response, in the same write: both are on disk or neither. */
  keep(store: object, write: AnsweredWrite, answer: unknown): void
}

/** Parts of a store's transaction that keep an answer. */
export interface AnsweredWrite {
  run(command: { readonly kind: 'command'; readonly sql: string }, ...params: SQLQueryBindings[]): unknown
  after(effect: () => void): void
}

/** Actor of a change, as events and histories record it. */
export interface Actor {
  readonly kind: 'human' | 'operator' | 'person' | 'session' | 'process' | 'gc'
  /** As events name it: a session's name, `human`, `@ann`, `scale_check of worker`, `gc/reconciler`. */
  readonly name: string
  /** The session, its agent, and the bead that it works on. */
  readonly session?: string
  readonly agent?: string
  readonly bead?: string
  /** The name that a person gave, which proves nothing. */
  readonly label?: string
  /** The request that asks for the change, when it can be repeated. Not recorded. */
  readonly request?: RepeatableRequest
  /** The answer to the request, for a write that returns nothing. Not recorded. */
  readonly answer?: object
}

/** True if it is a person, anyone who that is, and no program. */
export const isOfPeople = (actor: Pick<Actor, 'kind'> | null | undefined): boolean =>
  actor != null && ['human', 'operator', 'person'].includes(actor.kind)

/** A part of gc itself, which acts for no one. */
export const gcPart = (name: string): Actor => ({ kind: 'gc', name: `gc/${name}` })

/** gc itself, where no part of it is named. */
export const GC: Actor = { kind: 'gc', name: 'gc' }
