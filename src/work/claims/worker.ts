import type { SessionCaller } from '../../http/caller.ts'

/** What a claim needs to know of the session that makes it. */
export interface Worker {
  /** Its id. */
  session: string
  sessionName: string
  /** The qualified name of its agent: what `gc.routed_to` says on work for it. */
  agent: string
  /** The name stored as assignee. */
  identity: string
  /** Every name under which work may be in its name, `identity` among them. */
  names: readonly string[]
  /** Which run of the session this is: another after every start. Its token ended before the next began. */
  incarnation: string
  /** Whether our host runs its process, so that we see when it is gone. */
  hosted: boolean
}

/** Who calls, as a worker; refuses when it is no session of this city. */
export interface Workers {
  worker(caller: SessionCaller): Worker
}
