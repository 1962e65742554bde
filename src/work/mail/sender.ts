import { AppError } from '../../core/errors.ts'
import type { Caller } from '../../http/caller.ts'
import { actorName } from '../actor.ts'
import { HUMAN } from './directory.ts'

/** Who a message is from. */
export interface Sender {
  name: string
  session?: string
  /** The name that a person gave, which proves nothing. */
  claimed?: string
}

/** A session sends under one of its own names; a person sends as `human`, whatever label they give. */
export function senderOf(caller: Caller, city: string, label: string | undefined): Sender {
  if (caller.kind !== 'session') {
    const claimed = label?.trim() ?? ''
    return { name: HUMAN, ...(claimed !== '' && claimed !== HUMAN && { claimed }) }
  }
  if (caller.city === city) return { name: actorName(caller, label), session: caller.session }
  throw new AppError('forbidden', `forbidden: this session is of the city ${caller.city} and has no mail in ${city}`)
}
