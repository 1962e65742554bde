import { AppError } from '../core/errors.ts'
import type { Caller } from '../http/caller.ts'

/**
 * The name under which an action is recorded. A session acts only under its own names; a person may give a label, which
 * says nothing about who they are.
 */
export function actorName(caller: Caller, label: string | undefined): string {
  const requested = label?.trim() ?? ''
  if (caller.kind === 'process') return caller.name
  if (caller.kind !== 'session') return requested || 'human'
  const [own] = caller.names
  if (requested === '') return own ?? caller.session
  if (caller.names.includes(requested) || caller.isCalled?.(requested)) return requested
  throw new AppError(
    'forbidden',
    `forbidden: this session may not act as ${requested}; it is ${caller.names.join(', ')}`,
  )
}

/** The session that calls, if it belongs to this city. */
export const sessionOf = (caller: Caller, city: string): string | undefined =>
  caller.kind === 'session' && caller.city === city ? caller.session : undefined
