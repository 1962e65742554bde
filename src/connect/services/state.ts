/** State of a service, in the words of the contract. */
export type LocalState = 'starting' | 'ready' | 'degraded' | 'stopping' | 'stopped' | 'config_error' | 'restart_failed'

export interface ServiceState {
  readonly local: LocalState
  /** Reason it is not ready: a word of the contract, or a sentence. */
  readonly reason?: string
  /** Exit, or the reason it could not start. */
  readonly startError?: string
  /** Milliseconds since 1970. */
  readonly since: number
}

const OVERALL: Readonly<Partial<Record<LocalState, string>>> = { config_error: 'degraded', restart_failed: 'stopped' }

/** The state as it is shown to those who know no more than five. */
export const overallState = (local: LocalState): string => OVERALL[local] ?? local
