import type { ExitedSession, ExitOutcome, ProcessExit } from './exit-rules.ts'

/** State of a rig or the city that limits its sessions. */
export interface ScopeState {
  suspended: boolean
  /** The most sessions at a time; undefined for no limit. */
  maxActive: number | undefined
}

/** A ready bead that waits for an agent. */
export interface DemandedBead {
  bead: string
  /** Number of sessions that exited while they worked on it. */
  deaths: number
  /** It is not offered before this time. */
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
  /** True if one of its budgets is used up: what runs finishes its turn, nothing more is started. */
  blocked?: boolean
  /** Maximum time a new session may take until it claims the bead it was created for. */
  startupTimeout: number
  /** Reason its program cannot be started at all. */
  problem: string | undefined
  /** No session is started for work before this time. */
  retryAt: number
  /** Until when none of its logins has room, so that none of its sessions is started; 0 when one has. */
  limitedUntil?: number
  /** No session is started without work before this time, because the last ones exited immediately. */
  idleBackoffUntil?: number
  drainTimeout: number
  /** The same for a session that is drained because its declaration changed. */
  driftDrainTimeout: number
  /** After so long without work, a session sleeps until it is wanted again. */
  sleepAfterIdle: number | undefined
  /** After so long without work, a session is restarted. */
  idleTimeout: number | undefined
  maxAge: number | undefined
  /** Up to so much is added to `maxAge`, by each session's `jitter`. */
  maxAgeJitter: number
  /** Names of the agents that start before it. */
  dependsOn: readonly string[]
  /** Most urgent first. */
  demand: readonly DemandedBead[]
  /** Number of sessions its scale check requests; it may count beads that are among the demand. */
  scaleTarget: number
}

export interface NamedSessionState {
  /** `rig/name`, or `name`. */
  name: string
  agent: string
  mode: 'on_demand' | 'always'
}

export interface SessionSnapshot extends ExitedSession {
  /** One of the beads assigned to it, if there is any: how many there are makes no difference to a plan. */
  work: readonly string[]
  id: string
  agent: string
  /** The identity of a named session. */
  named: string | undefined
  slot: number | undefined
  /** The host's key of its incarnation, from before its start until its process is gone. */
  key: string | undefined
  pid: number | undefined
  processStarted: string | undefined
  drainAt: number
  retryAt: number
  quarantinedUntil: number
  /** Number of messages that wait for it. */
  messages: number
  attached: boolean
  /** True if its program asks a person something: it is left alone for as long as it takes. */
  asking: boolean
  /** End of its last question; the time before counts as no activity. */
  askedUntil: number
  /** Time of its last start, work, output or input; never in the future. */
  quietSince: number
  /** Until when it reported to be at work, or a look at its program showed that it is not idle. */
  busyUntil: number
  /** The parts of its agent's declaration that have changed since its start. */
  drift: readonly string[]
  /** A number from 0 to 1 that is constant for this run. */
  jitter: number
  /** True if a step is under way: it is counted and left alone. */
  busy: boolean
}

/** A process of this city in the host. */
export interface ProcessState {
  key: string
  pid: number
  startedAt: string
  /** Undefined while it runs. */
  exit: ProcessExit | undefined
}

/** Everything that a plan depends on. */
export interface CitySnapshot {
  now: number
  city: ScopeState & {
    /** True if a budget of the city is used up, so that no one gets another turn. */
    blocked?: boolean
  }
  /** Number of more sessions that may be started now. */
  wakes: number
  /** Sessions that people started: how long they may be idle, and how long they stay up after a start. */
  chat: { idle: number | undefined; grace: number }
  rigs: ReadonlyMap<string, ScopeState>
  agents: readonly AgentState[]
  named: readonly NamedSessionState[]
  sessions: readonly SessionSnapshot[]
  /** Sessions of this city on the host; undefined while unknown. */
  hosted: ReadonlyMap<string, ProcessState> | undefined
}

export type ReconcileAction =
  | { do: 'create'; agent: string; slot: number | undefined; named: string | undefined; work: string | undefined }
  | { do: 'start'; session: string }
  | { do: 'adopt'; session: string; pid: number; startedAt: string }
  | { do: 'end'; key: string; session: string | undefined }
  | { do: 'record-exit'; session: string; key: string; exit: ProcessExit; outcome: ExitOutcome }
  | { do: 'drain'; session: string; reason: string }
  | { do: 'undrain'; session: string }
  | { do: 'refresh'; session: string }
  | { do: 'release'; session: string }
  | { do: 'close'; session: string; reason: string }
  | { do: 'park'; bead: string; agent: string; deaths: number }

export interface ReconcilePlan {
  actions: ReconcileAction[]
  /** Time at which the same snapshot leads to new actions, if nothing else happens before. */
  due: number | undefined
}
