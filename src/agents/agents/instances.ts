import type { AgentConfig } from '../../config/city-config.ts'
import { qualify } from '../../config/declare/names.ts'
import { instanceName, instanceNamed } from '../sessions/names.ts'
import type { AgentSession } from './sessions.ts'

/** One row of a list of agents: an agent with one session, or one instance of a pool. */
export interface Instance {
  readonly spec: AgentConfig
  /** Its qualified name. */
  readonly name: string
  /** The pool that it is an instance of. */
  readonly pool?: string
  /** Its current session, when there is one. */
  readonly session?: AgentSession
}

/** Whether an agent may have more than one session at once. */
export const isPool = ({ maxActive }: AgentConfig): boolean => maxActive === undefined || maxActive > 1

/**
 * The rows of an agent in a list: the agent itself when it has one session; for a pool its slots, if it has a bound, and
 * every session of it that runs. One without a slot of its own, such as a person's, is shown in a free slot, else in a
 * row of its own. An agent without rows is listed as itself, so that no declared agent is hidden.
 */
export function expandInstances(spec: AgentConfig, sessions: readonly AgentSession[]): Instance[] {
  if (!isPool(spec)) return [wholeAgent(spec, sessions)]
  const byIdentity = Map.groupBy(sessions, ({ identity }) => identity)
  const rows = new Map<string, AgentSession | undefined>()
  for (let slot = 1; slot <= (spec.maxActive ?? 0); slot++) {
    const name = instanceName(spec, slot)
    rows.set(name, preferred(byIdentity.get(name) ?? []))
  }
  const shown = new Set(rows.values())
  for (const session of sessions) {
    if (session.running && !shown.has(session)) rows.set(freeSlot(rows) ?? nameOf(spec, session), session)
  }
  if (rows.size === 0) return [wholeAgent(spec, sessions)]
  return [...rows].map(([name, session]) => toInstance(spec, name, session))
}

/** The agent as a whole, with the session that represents it: a running one before a sleeping one. */
export function wholeAgent(spec: AgentConfig, sessions: readonly AgentSession[]): Instance {
  const matching = sessions.filter(({ identity }) => identity === spec.qualified)
  const session = [...matching, ...sessions].find(({ running }) => running) ?? matching[0] ?? sessions[0]
  return { spec, name: spec.qualified, ...(isPool(spec) && { pool: spec.qualified }), ...(session && { session }) }
}

/** The instance of an agent that a name means: a row of its list, or one of an unbounded pool that could run. */
export function findInstance(
  spec: AgentConfig,
  written: string,
  sessions: readonly AgentSession[],
): Instance | undefined {
  if (!isPool(spec)) return undefined
  const name = instanceNamed(spec, written)
  const row = expandInstances(spec, sessions).find((instance) => instance.name === (name ?? written))
  if (row || spec.maxActive !== undefined || name === undefined) return row
  return toInstance(spec, name, preferred(sessions.filter(({ identity }) => identity === name)))
}

const toInstance = (spec: AgentConfig, name: string, session: AgentSession | undefined): Instance => ({
  spec,
  name,
  pool: spec.qualified,
  ...(session && { session }),
})

const preferred = (sessions: readonly AgentSession[]): AgentSession | undefined =>
  sessions.find(({ running }) => running) ?? sessions[0]

/** A slot without a session, else one whose session does not run. */
function freeSlot(rows: ReadonlyMap<string, AgentSession | undefined>): string | undefined {
  const free = [...rows].filter(([, session]) => !session?.running)
  return (free.find(([, session]) => session === undefined) ?? free[0])?.[0]
}

/** The name of a session that has no slot: a person's is called by its run-time name. */
const nameOf = (spec: AgentConfig, { identity, name }: AgentSession): string =>
  identity === spec.qualified ? qualify(spec.dir, name) : identity
