import type { RepeatableRequest } from '../core/actor.ts'

/** Caller of a request, from its credential, never from its body. */
export type Caller = (Human | Operator | PersonCaller | SessionCaller | ProcessCaller | AgentCaller) & {
  /** The request that it makes, when that can be repeated. */
  readonly request?: RepeatableRequest
}

/** No one in particular, on loopback, without a credential. */
export interface Human {
  kind: 'human'
}

/** Holder of `$GC_HOME/token`. */
export interface Operator {
  kind: 'operator'
  /** The name of the account that the supervisor runs under, where that is known. */
  person?: string
}

/** A person with a token of their own, who reads everything and does what they are granted. */
export interface PersonCaller {
  kind: 'person'
  /** Stays with the person: anyone who gets the same name later has another. */
  id: number
  person: string
  /** Grants of `needs.ts`. */
  grants: readonly string[]
}

/** One incarnation of one session: its token dies with it. */
export interface SessionCaller {
  kind: 'session'
  city: string
  session: string
  /** Every name this session goes by: its id, alias, session name, agent. */
  names: readonly string[]
  /**
   * True if it is addressed by this shorter name as well: `builder` for `demo/builder`, where that is no one else's.
   */
  isCalled?(name: string): boolean
  /** Its agent, or the provider of a session without one. */
  agent: string
  /** The bead it works on. */
  readonly bead?: string | undefined
  /** The file that declares its agent. */
  declaredIn: string
  /** Permissions of its agent beyond working and coordinating, from `needs.ts`. */
  may: readonly string[]
}

/** A process other than a session that gc started for a city: its token dies with it. */
export interface ProcessCaller {
  kind: 'process'
  city: string
  /** Command and owner: `scale_check of worker`. */
  name: string
  /** Permissions beyond working and coordinating, from `needs.ts`. */
  may?: readonly string[]
}

/** An agent of the network, by the key it sent. */
export interface AgentCaller {
  kind: 'agent'
  /** Its row. */
  n: number
  id: string
  name: string
}

/** Unique name of a caller. */
export function nameOf(caller: Caller): string {
  if (caller.kind === 'session') return `${caller.city}/${caller.session}`
  if (caller.kind === 'process') return `${caller.city} ${caller.name}`
  if (caller.kind === 'person') return `person ${caller.id}`
  return caller.kind === 'agent' ? `agent ${caller.id}` : caller.kind
}

/** The one city that a caller may read; undefined for one who may read all. */
export const cityOf = (caller: Caller): string | undefined =>
  caller.kind === 'session' || caller.kind === 'process' ? caller.city : undefined
