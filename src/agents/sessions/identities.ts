import { AppError, errorMessage } from '../../core/errors.ts'
import type { Tx } from '../../core/store.ts'
import type { Identities } from '../../work/beads/draft.ts'
import { identityOf, workNamesOf } from './metadata.ts'
import type { BuiltParts } from './parts.ts'

/** Tells beads whom a name means. */
export class SessionIdentities implements Identities {
  constructor(private readonly parts: Pick<BuiltParts, 'resolver' | 'creation'>) {}

  /** The name stored as assignee for what a caller wrote. */
  resolve(tx: Tx, token: string, { materialise }: { materialise: boolean }): string {
    const wanted = token.trim()
    if (wanted === '') return ''
    const { resolver, creation } = this.parts
    try {
      const row = resolver.find(wanted)
      if (row && row.state !== 'closed') return identityOf(row)
    } catch (error) {
      throw new AppError('invalid-request', errorMessage(error))
    }
    const named = resolver.named(wanted)
    if (named && materialise) return identityOf(creation.createNamed(tx, named))
    throw new AppError(
      'invalid-request',
      `"${wanted}" is no open session: give a session's id, alias or name, or nothing`,
    )
  }

  /** Every name under which work of this session may be stored; just the name itself when it is no session. */
  names(token: string): string[] {
    try {
      const row = this.parts.resolver.find(token)
      return row ? [...new Set([token, ...workNamesOf(row)])] : [token]
    } catch {
      return [token]
    }
  }
}
