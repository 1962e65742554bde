import type { Tx } from '../../core/store/store.ts'

/** A session as external messages use it. */
export interface MessagedSession {
  readonly id: string
  readonly sessionName: string
  readonly state: string
  readonly pid: number | null
}

/** The sessions of the city as external messages use them. */
export interface MessagedSessions {
  find(id: string): MessagedSession | undefined
  /** The id of the session that a name means; the name itself when it means none. */
  idOf(name: string): string
  /** The configured named session that a name means, by its qualified name. */
  named(name: string): string | undefined
  /** The live session of a named session, if it has one; throws when another session has its name. */
  liveOf(named: string): MessagedSession | undefined
  /** The same, which is created when there is none. */
  ensureNamed(tx: Tx, named: string): MessagedSession
  /** Starts a session that sleeps; one that a person holds stays as it is. */
  wake(tx: Tx, id: string): void
  /** Queues a text for a session under a name by which it can be withdrawn. */
  nudge(tx: Tx, id: string, text: string, name: string): void
  /** Withdraws a text that still waits; false when it was typed already. */
  withdraw(tx: Tx, name: string): boolean
  /** Whether a text of this name could not be delivered. */
  hasFailed(name: string): boolean
  /** Calls the listener in the write that ends a text, with what became of it. */
  onNudgeEnded(listener: NudgeEndListener): void
}

export type NudgeEndListener = (
  tx: Tx,
  name: string,
  result: 'delivered' | 'failed' | 'abandoned',
  reason: string,
) => void
