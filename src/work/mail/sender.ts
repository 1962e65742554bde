import { AppError } from '../../core/errors.ts'
import type { Caller } from '../../http/caller.ts'
import { actorName } from '../actor.ts'
import { HUMAN } from './directory.ts'

/** Sender of a message. */
export interface Sender {
  name: string
  session?: string
  /** The name that a person gave, which proves nothing. */
  claimed?: string
}

/**
 * A session sends under one of its own names. A person sends as `human`, or is shown under the name of an agent or a
 * session of the city that they give; that they are a person is recorded with it.
 */
export function senderOf(
  caller: Caller,
  city: string,
  label: string | undefined,
  isNameInCity: (name: string) => boolean,
): Sender {
  if (caller.kind === 'session' || caller.kind === 'process') {
    if (caller.city !== city) {
      throw new AppError(
        'forbidden',
        `forbidden: this session is of the city ${caller.city} and has no mail in ${city}`,
      )
    }
    return { name: actorName(caller, label), ...(caller.kind === 'session' && { session: caller.session }) }
  }
  const claimed = label?.trim() ?? ''
  if (claimed === '' || claimed === HUMAN) return { name: HUMAN }
  return { name: isNameInCity(claimed) ? claimed : HUMAN, claimed }
}

/** Name of a message's sender in prompts and events. */
export const describeSender = ({ sender, from_claimed }: { sender: string; from_claimed: string | null }): string =>
  from_claimed === null ? sender || 'nobody' : `a person as ${from_claimed}`
