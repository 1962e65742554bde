import { AppError } from '../../core/errors.ts'
import type { SessionCaller } from '../../http/caller.ts'
import type { Worker } from '../../work/claims/worker.ts'
import { identityOf, namesOf, workNamesOf } from './metadata.ts'
import type { BuiltParts } from './parts.ts'

type Parts = Pick<BuiltParts, 'book' | 'tokens' | 'launcher'>

/** Whose credential a hash is: the caller, `ended` when that incarnation is over, undefined when it is nobody's. */
export function callerOf(
  { book, tokens, launcher }: Parts,
  city: string,
  hash: string,
): SessionCaller | 'ended' | undefined {
  const owner = tokens.find(hash)
  if (owner === undefined || owner === 'ended') return owner
  const row = book.find(owner.session)
  if (!row || row.state === 'closed') return 'ended'
  const may = launcher.agent(row.template)?.may ?? []
  return { kind: 'session', city, session: row.id, names: namesOf(row), may }
}

/** A calling session as a worker; refuses one that is over. One that drains gets no new work of its agent. */
export function workerOf({ book }: Parts, caller: SessionCaller): Worker {
  const row = book.find(caller.session)
  if (!row || row.state === 'closed') {
    throw new AppError('session-not-found', `not_found: session not found: "${caller.session}"`)
  }
  return {
    session: row.id,
    sessionName: row.sessionName,
    agent: row.state === 'draining' ? '' : row.template,
    identity: identityOf(row),
    names: workNamesOf(row),
    incarnation: String(row.generation),
    hosted: row.hostKey !== null,
  }
}
