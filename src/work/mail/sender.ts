import { AppError } from '../../core/errors.ts'
import type { Caller } from '../../http/caller.ts'
import { speaker } from '../speaker.ts'
import { HUMAN } from './directory.ts'

/** Whom a message is from. */
export interface Sender {
  name: string
  session?: string
  /** What a person called themselves. */
  claimed?: string
}

/** A session sends under one of its own names; whatever a person says they are, it is sent by `human`. */
export function senderOf(caller: Caller, city: string, label: string | undefined): Sender {
  if (caller.kind !== 'session') {
    const claimed = label?.trim() ?? ''
    return { name: HUMAN, ...(claimed !== '' && claimed !== HUMAN && { claimed }) }
  }
  if (caller.city === city) return { name: speaker(caller, label), session: caller.session }
  throw new AppError('forbidden', `forbidden: this session is of the city ${caller.city} and has no mail in ${city}`)
}
