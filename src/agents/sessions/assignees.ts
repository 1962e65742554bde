import { AppError, errorMessage } from '../../core/errors.ts'
import type { Tx } from '../../core/store/index.ts'
import type { AssigneeResolver } from '../../work/beads/index.ts'
import { identityOf, type SessionResolver, workNamesOf } from '../../work/sessions/index.ts'
import type { SessionCreator } from '../lifecycle/index.ts'

/** Resolves the names of assignees to the sessions of the city. */
export class SessionAssignees implements AssigneeResolver {
  constructor(
    private readonly resolver: SessionResolver,
    private readonly creator: SessionCreator,
  ) {}

  /** The name stored as assignee for what a caller wrote. */
  resolve(tx: Tx, token: string, { materialise }: { materialise: boolean }): string {
    const name = token.trim()
    if (name === '') return ''
    try {
      const row = this.resolver.find(name)
      if (row && row.state !== 'closed') return identityOf(row)
    } catch (error) {
      throw new AppError('invalid-request', errorMessage(error))
    }
    const named = this.resolver.named(name)
    if (named && materialise) return identityOf(this.creator.createNamed(tx, named))
    throw new AppError(
      'invalid-request',
      `"${name}" is not an open session: give a session's id, alias or name, or nothing`,
    )
  }

  /** Every name under which work of this session may be stored; just the name itself when it is not a session. */
  names(token: string): string[] {
    try {
      const row = this.resolver.find(token)
      return row ? [...new Set([token, ...workNamesOf(row)])] : [token]
    } catch {
      return [token]
    }
  }
}
