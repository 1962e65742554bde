import type { ExitedSession, ExitOutcome, ProcessExit } from './exit-rules.ts'

/** A rig or the city, as far as it limits what runs. */
export interface ScopeState {
  suspended: boolean
  /** Most sessions at once; undefined for no limit. */
  maxActive: number | undefined
}

/** A ready bead that waits for an agent, with what it did to those before. */
export interface DemandedBead {
  bead: string
  /** Sessions that ended while they had it. */
  deaths: number
  /** Not offered before this moment. */
  until: number
}

export interface AgentState {
  /** `rig/name`, or `name`. */
  name: string
  /** '' for the city itself. */
  rig: string
  suspended: boolean
  minActive: number
  maxActive: number | undefined
  /** Whether a budget it is under is used up: what runs goes on, nothing more is started. */
  blocked?: boolean
  /** Why its program cannot be started at all. */
  problem: string | undefined
  /** No session is started for demand before this moment. */
  retryAt: number
  /** No session is brought up for nothing in particular before this moment: the last ones left at once. */
  idleBackoffUntil?: number
  drainTimeout: number
  /** The same for a session that is drained because its declaration changed. */
  driftDrainTimeout: number
  /** Idle for this long: put to sleep until wanted again. */
  sleepAfterIdle: number | undefined
  /** Idle for this long: ended and started anew. */
  idleTimeout: number | undefined
  maxAge: number | undefined
  /** Up to so much is added to `maxAge`, for each session as its luck has it. */
  maxAgeJitter: number
  /** Agents that are brought up before it, by their names. */
  dependsOn: readonly string[]
  /** Most urgent first. */
  demand: readonly DemandedBead[]
  /** How many sessions its scale check asks for; what it counts may be among the demand. */
  scaled: number
}

export interface NamedSessionState {
  /** `rig/name`, or `name`. */
  name: string
  agent: string
  mode: 'on_demand' | 'always'
}

export interface SessionSnapshot extends ExitedSession {
  id: string
  agent: string
  /** The identity a named session has. */
  named: string | undefined
  slot: number | undefined
  /** Names its incarnation in the host, from before it is started until it is seen gone. */
  key: string | undefined
  pid: number | undefined
  processStarted: string | undefined
  drainAt: number
  retryAt: number
  quarantinedUntil: number
  /** Messages that wait for it. */
  messages: number
  attached: boolean
  /** When it last was started, did, showed or was told anything; never later than now. */
  quietSince: number
  /** It said that it is at work until then, whatever can be seen of that. */
  busyUntil: number
  /** What of its agent's declaration has changed since it was started. */
  drift: readonly string[]
  /** A number from 0 to 1 that stays with this run of it. */
  luck: number
  /** Something is being done to it right now: it is counted and left alone. */
  busy: boolean
}

/** A process in the host that is ours. */
export interface ProcessState {
  key: string
  pid: number
  startedAt: string
  /** Undefined while it runs. */
  exit: ProcessExit | undefined
}

/** All that a decision depends on. */
export interface CitySnapshot {
  now: number
  city: ScopeState
  /** How many starts may be under way on top of those that are. */
  wakes: number
  /** Sessions that people started: how long they may be idle, and how long they stay up after a start. */
  chat: { idle: number | undefined; grace: number }
  rigs: ReadonlyMap<string, ScopeState>
  agents: readonly AgentState[]
  named: readonly NamedSessionState[]
  sessions: readonly SessionSnapshot[]
  /** What the host runs of ours; undefined while that is not known, which never means nothing. */
  hosted: ReadonlyMap<string, ProcessState> | undefined
}

export type ReconcileAction =
  | { do: 'create'; agent: string; slot: number | undefined; named: string | undefined; work: string | undefined }
  | { do: 'start'; session: string }
  | { do: 'adopt'; session: string; pid: number; startedAt: string }
  | { do: 'end'; key: string; session: string | undefined }
  | { do: 'record-exit'; session: string; key: string; exit: ProcessExit; after: ExitOutcome }
  | { do: 'drain'; session: string; reason: string }
  | { do: 'refresh'; session: string }
  | { do: 'release'; session: string }
  | { do: 'close'; session: string; reason: string }
  | { do: 'park'; bead: string; agent: string; deaths: number }

export interface ReconcilePlan {
  actions: ReconcileAction[]
  /** When the same situation asks for something new, if nothing else happens before. */
  due: number | undefined
}
