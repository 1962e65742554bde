import { AppError } from '../core/errors.ts'
import type { Caller } from '../http/caller.ts'

/** The names of parts of gc, of what it runs, and of people with tokens: no one else is recorded under them. */
const OF_OTHERS = /^(gc$|gc\/|order:|@)/

/**
 * The name under which an action is recorded. A session acts only under its own names; a person may give a label, which
 * says nothing about who they are.
 */
export function actorName(caller: Caller, label: string | undefined): string {
  const requested = label?.trim() ?? ''
  if (caller.kind === 'process') return caller.name
  if (caller.kind === 'person') return `@${caller.person}`
  if (caller.kind !== 'session') {
    if (OF_OTHERS.test(requested))
      throw forbidden(`${requested} is a name of gc itself, or of a person with a token; give one of your own, or none`)
    return requested || 'human'
  }
  const [own] = caller.names
  if (requested === '') return own ?? caller.session
  if (caller.names.includes(requested) || caller.isCalled?.(requested)) return requested
  throw forbidden(`this session may not act as ${requested}; it is ${caller.names.join(', ')}`)
}

const forbidden = (reason: string): AppError => new AppError('forbidden', `forbidden: ${reason}`)
