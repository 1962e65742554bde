import type { AgentConfig } from '../../config/city-config.ts'
import type { AgentOutput } from './schema.ts'

/** One session of an agent that is not over, as far as the agent's page shows it. */
export interface AgentSession {
  /** The session's id. */
  readonly id: string
  /** Its name at run time. */
  readonly name: string
  /** Which instance of the agent it is: the qualified name, or that and its slot: `rig/worker`, `rig/worker-2`. */
  readonly identity: string
  /** Whether its program runs right now. */
  readonly running: boolean
  readonly attached: boolean
  /** Whether it crashed so often that it is kept from starting. */
  readonly quarantined: boolean
  /** When its program last showed something, in milliseconds. */
  readonly lastActivity?: number
  readonly activity?: 'idle' | 'in-turn'
  readonly model?: string
  readonly contextPct?: number
  readonly contextWindow?: number
}

/** What became of ended sessions, by session name. One that was gone already is in neither list. */
export interface RestartResult {
  readonly killed: string[]
  readonly failed: string[]
}

/** What agents and rigs need of sessions. Every agent is meant by its qualified name. */
export interface AgentSessions {
  /** Every agent's sessions that are not over, newest first, by agent. */
  all(): ReadonlyMap<string, AgentSession[]>
  /** The agent's sessions that are not over, newest first. */
  ofAgent(agent: string): AgentSession[]
  /** Why an agent's program cannot be started, such as one that is not on the PATH; undefined when it can. */
  unavailable(agent: AgentConfig): string | undefined
  /** Tells of names the newest bead in progress that is stored under any of them. */
  activeBeads(): (names: readonly string[]) => string | undefined
  /** Ends every session of these agents; the reconciler starts them again. */
  restartAll(agents: readonly string[]): Promise<RestartResult>
  /** The last lines of a session's screen. */
  peek(session: string, lines: number): Promise<string | undefined>
  /**
   * What an instance said: the newest `tail` segments of its conversation, 0 for all of it, or else its last screen
   * lines. Refuses with `agent-not-found`, `agent <identity> not running`, when there is neither.
   */
  outputOf(identity: string, page: { tail: number; before?: string }): Promise<AgentOutput>
  /** `outputOf` with one segment, then whatever is new, until `signal` aborts. Refuses before the first item. */
  followOutput(identity: string, signal: AbortSignal): Promise<{ stopped: boolean; turns: AsyncIterable<AgentOutput> }>
}
