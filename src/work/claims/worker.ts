import { identityOf, type SessionRow, workNamesOf } from '../sessions/index.ts'

/** Facts about a session that a claim needs. */
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
  /** Run of the session; every start begins a new one, and ends the previous token. */
  incarnation: string
  /** True if the host runs its process, so that gc sees when it is gone. */
  hosted: boolean
  /** Reason it gets no work now: what it is at is to end with its present turn. */
  blocked?: string
}

/** A session as a worker; one that drains gets no new work of its agent. */
export const toWorker = (row: SessionRow, blocked: string | undefined): Worker => ({
  session: row.id,
  sessionName: row.sessionName,
  agent: row.state === 'draining' ? '' : row.template,
  identity: identityOf(row),
  names: workNamesOf(row),
  incarnation: String(row.generation),
  hosted: row.hostKey !== null,
  ...(blocked !== undefined && { blocked }),
})
