import { AppError } from '../../core/errors.ts'
import type { Caller } from '../../http/caller.ts'
import type { MessagedSessions } from './sessions.ts'

/** In whose name a caller may act: a session in its own, people and the operator in that of any. */
export class SenderCheck {
  constructor(private readonly sessions: Pick<MessagedSessions, 'idOf'>) {}

  /** The id of the session that a request names; throws when the caller is another. */
  require(caller: Caller, given: string): string {
    const id = this.sessions.idOf(given.trim())
    if (caller.kind !== 'session' && caller.kind !== 'process') return id
    if (caller.kind === 'session' && (id === caller.session || caller.names.includes(given.trim())))
      return caller.session
    throw new AppError(
      'forbidden',
      `forbidden: session_id is ${given}, which is not the caller; a session acts under its own id`,
    )
  }
}
