import type { AgentConfig } from '../../config/city/city-config.ts'
import type { Caller } from '../../http/caller.ts'
import type { AgentOutput } from '../conversations/schema.ts'

/** A session of an agent that is not closed, as agents show it. */
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
  /** Whether it asks something and waits for the answer. */
  readonly asks: boolean
  /** Why it is quarantined and until when; absent when it is not. */
  readonly held?: string
  /** When its program last printed something, in milliseconds. */
  readonly lastActivity?: number
  readonly activity?: 'idle' | 'in-turn'
  readonly model?: string
  readonly contextPct?: number
  readonly contextWindow?: number
}

/** The session of an agent or instance, if it has one, and the name to show it under. */
export interface SessionName {
  readonly name: string
  readonly session: string | undefined
}

/** The names of sessions that were ended, and of those that could not be. */
export interface RestartResult {
  readonly killed: string[]
  readonly failed: string[]
}

/** The sessions of agents, as agents and rigs use them. Agents are identified by their qualified name. */
export interface AgentSessions {
  /** The open sessions of all agents, newest first, by agent. */
  all(): ReadonlyMap<string, AgentSession[]>
  /** The open sessions of an agent, newest first. */
  ofAgent(agent: string): AgentSession[]
  /** Why an agent cannot be started, such as a program that is not on the PATH; undefined when it can. */
  unavailable(agent: AgentConfig): string | undefined
  /** Why no new session of an agent is started for now, and until when; undefined when they are. */
  held(agent: AgentConfig): string | undefined
  /** Finds the newest bead in progress that is assigned to any of some names. */
  activeBeads(): (names: readonly string[]) => string | undefined
  /** Lifts what keeps new sessions of an agent from being started because others failed. */
  release(agent: string, caller: Caller): Promise<void>
  /** Ends every session of these agents; the reconciler starts them again. */
  restartAll(agents: readonly string[], caller: Caller): Promise<RestartResult>
  /** The last lines of a session's screen. */
  peek(session: string, lines: number): Promise<string | undefined>
  /**
   * The output of a session, under the name of its agent: the newest `tail` segments of its conversation, 0 for all of it,
   * or else its last screen lines. Refuses with `agent-not-found`, `agent <name> not running`, when there is neither.
   */
  outputOf(agent: SessionName, page: { tail: number; before?: string }): Promise<AgentOutput>
  /** `outputOf` with one segment, then whatever is new, until `signal` aborts. Refuses before the first item. */
  followOutput(
    agent: SessionName,
    signal: AbortSignal,
  ): Promise<{ stopped: boolean; turns: AsyncIterable<AgentOutput> }>
}
