import type { SessionCaller } from '../../http/caller.ts'

/** What a claim needs to know about the session that makes it. */
export interface Worker {
  /** Its id. */
  session: string
  sessionName: string
  /** The qualified name of its agent; work that is routed to it has this name. */
  agent: string
  /** The name stored as assignee. */
  identity: string
  /** Every name under which work may be assigned to it, `identity` among them. */
  names: readonly string[]
  /** Which run of the session this is; every start begins another, and the token of the one before has ended. */
  incarnation: string
  /** Whether the host runs its process, so that gc sees when it is gone. */
  hosted: boolean
  /** Why it gets no work now: what it is at is to end with its present turn. */
  blocked?: string
}

/** Finds the worker that a session is. */
export interface Workers {
  /** Throws when the caller is no session of this city. */
  worker(caller: SessionCaller): Worker
}
