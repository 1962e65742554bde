/** Who makes a request: what its credential says, never what its body says. */
export type Caller = Human | Operator | SessionCaller | AgentCaller

/** Nobody in particular, on loopback, without a credential. */
export interface Human {
  kind: 'human'
}

/** Whoever holds `$GC_HOME/token`. */
export interface Operator {
  kind: 'operator'
}

/** One incarnation of one session: its token dies with it. */
export interface SessionCaller {
  kind: 'session'
  city: string
  session: string
  /** Every name this session goes by: its id, alias, session name, agent. */
  names: readonly string[]
  /** What its agent may do beyond its own work: `respond`, `budgets`, `tokens`. */
  may: readonly string[]
}

/** An agent of the network, by the key it sent. */
export interface AgentCaller {
  kind: 'agent'
  /** Its row. */
  n: number
  id: string
  name: string
}
