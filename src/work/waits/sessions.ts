import type { Tx } from '../../core/store/store.ts'

/** What a wait has to know about its session. */
export interface WaitingSession {
  id: string
  sessionName: string
  state: string
  generation: number
}

/** How a nudge ended; `abandoned` when its session is closed. */
export type NudgeOutcome = 'delivered' | 'failed' | 'abandoned'

export type NudgeListener = (tx: Tx, name: string, outcome: NudgeOutcome, reason: string) => void
export type SessionListener = (tx: Tx, id: string) => void

/** What waits need of the sessions of a city. */
export interface WaitingSessions {
  find(id: string): WaitingSession | undefined
  /** The live session that a token names; throws when there is none. */
  resolve(token: string): WaitingSession
  titleOf(id: string): string
  /** Has a sleeping session started. */
  wake(tx: Tx, id: string): void
  /** Queues a nudge under a name. */
  nudge(tx: Tx, id: string, text: string, name: string): void
  /** Withdraws a nudge that still waits. */
  withdraw(tx: Tx, name: string): void
  /** Calls a listener when a named nudge has ended. */
  onNudgeEnded(listener: NudgeListener): void
  /** Calls a listener when somebody wakes a session. */
  onWake(listener: SessionListener): void
  /** Calls a listener when a session begins another conversation. */
  onReset(listener: SessionListener): void
}
