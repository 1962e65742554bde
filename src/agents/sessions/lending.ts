import { AppError } from '../../core/errors.ts'
import type { Store } from '../../core/store/index.ts'
import { SESSION_CONFLICT } from '../../host/protocol/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { ClaimManager } from '../../work/claims/index.ts'
import {
  type SessionEventRecorder,
  type SessionRepository,
  type SessionResolver,
  type SessionTokens,
  workNamesOf,
} from '../../work/sessions/index.ts'
import type { SessionLoan } from './runtime-schema.ts'

interface LendingOptions {
  store: Store
  repository: SessionRepository
  resolver: SessionResolver
  tokens: SessionTokens
  recorder: SessionEventRecorder
  claims: Pick<ClaimManager, 'revokeAll'>
}

/** Lets programs that gc does not run, here or elsewhere, work as a session. */
export class Lending {
  constructor(private readonly options: LendingOptions) {}

  /**
   * A token for a suspended session. It is good until the session is lent again, woken or closed; what was claimed with
   * the one before it is offered again.
   */
  async lend(token: string, caller: Caller): Promise<SessionLoan> {
    const { store, repository, resolver, tokens, recorder, claims } = this.options
    const { id } = resolver.resolve(token)
    return store.write((tx) => {
      const row = repository.get(id)
      if (row.state !== 'suspended' || row.hostKey !== null) {
        throw new AppError(SESSION_CONFLICT, `session ${id} is ${row.state}; only a suspended one can be lent`)
      }
      tokens.revoke(tx, id)
      claims.revokeAll(tx, id, workNamesOf(row))
      const lent = repository.update(tx, id, { generation: row.generation + 1 })
      recorder.lent(tx, lent)
      return { id, token: tokens.issue(tx, id, lent.generation) }
    }, actorOf(caller))
  }
}
