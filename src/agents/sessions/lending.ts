import { AppError } from '../../core/errors.ts'
import type { Store, Tx } from '../../core/store.ts'
import { SESSION_CONFLICT } from '../../host/protocol/errors.ts'
import type { Caller } from '../../http/caller.ts'
import { workNamesOf } from './metadata.ts'
import type { BuiltParts } from './parts.ts'
import type { SessionLoan } from './runtime-schema.ts'

/** Lets programs that gc does not run, here or elsewhere, work as a session. */
export class Lending {
  constructor(
    private readonly parts: Pick<BuiltParts, 'resolver' | 'book' | 'tokens' | 'chronicle'>,
    private readonly store: Store,
    private readonly claims: { loseAll(tx: Tx, session: string, names: readonly string[]): void },
  ) {}

  /**
   * A token for a suspended session. It is good until the session is lent again, woken or closed; what was claimed with
   * the one before it is offered again.
   */
  async lend(token: string, caller: Caller): Promise<SessionLoan> {
    if (caller.kind === 'session' && !caller.may.includes('tokens')) {
      throw new AppError('forbidden', 'forbidden: a session may not lend sessions unless its agent may give out tokens')
    }
    const { resolver, book, tokens, chronicle } = this.parts
    const { id } = resolver.resolve(token)
    return this.store.write((tx) => {
      const row = book.get(id)
      if (row.state !== 'suspended' || row.hostKey !== null) {
        throw new AppError(SESSION_CONFLICT, `session ${id} is ${row.state}; only a suspended one can be lent`)
      }
      tokens.revoke(tx, id)
      this.claims.loseAll(tx, id, workNamesOf(row))
      const lent = book.update(tx, id, { generation: row.generation + 1 })
      chronicle.lent(tx, lent)
      return { id, token: tokens.issue(tx, id, lent.generation) }
    })
  }
}
