import { AppError } from '../core/errors.ts'
import type { Caller } from '../http/caller.ts'

/**
 * The name something is recorded under. A session speaks only as itself; a person may put a label on what they do,
 * which says nothing about who they are.
 */
export function speaker(caller: Caller, label: string | undefined): string {
  const wanted = label?.trim() ?? ''
  if (caller.kind !== 'session') return wanted || 'human'
  const [own] = caller.names
  if (wanted === '') return own ?? caller.session
  if (caller.names.includes(wanted)) return wanted
  throw new AppError(
    'forbidden',
    `forbidden: this session may not speak as ${wanted}; it is ${caller.names.join(', ')}`,
  )
}
