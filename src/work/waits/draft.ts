import { AppError, invalidField } from '../../core/errors.ts'
import type { Caller } from '../../http/caller.ts'
import type { Beads } from '../beads/beads.ts'
import type { WaitCreate } from './schema.ts'
import type { Waiter, Waiters } from './waits.ts'

interface Asked {
  caller: Caller
  /** The city's name. */
  city: string
  body: WaitCreate
  now: number
  sessions: Pick<Waiters, 'resolve'>
  beads: Pick<Beads, 'get'>
}

const NOTE_MOST = 8 * 1024

/** What a request to wait comes down to; refuses what cannot be waited for. */
export function beginning({ caller, city, body, now, sessions, beads }: Asked) {
  const waiter = waiterOf(caller, city, body.session, sessions)
  if (Buffer.byteLength(body.note ?? '') > NOTE_MOST) throw invalidField('body.note', 'note is too long: at most 8 KB')
  const on = [...new Set(body.on_beads)]
  for (const id of on) beads.get(id)
  const by = caller.kind === 'session' ? caller.session : null
  return { waiter, by, on, expiresAt: momentOf(body.expires_at, now) }
}

/** A session can only wait itself; for people it has to be named. */
function waiterOf(caller: Caller, city: string, told: string | undefined, sessions: Asked['sessions']): Waiter {
  const named = told?.trim()
  if (caller.kind !== 'session') {
    if (!named) throw invalidField('body.session', 'say which session waits, by its id, alias or name')
    return sessions.resolve(named)
  }
  if (caller.city !== city) throw new AppError('forbidden', `forbidden: this session is of the city ${caller.city}`)
  const waiter = sessions.resolve(named || caller.session)
  if (waiter.id === caller.session) return waiter
  throw new AppError('forbidden', `forbidden: a session can only wait itself, and this is not ${waiter.id}`)
}

function momentOf(told: string | undefined, now: number): number | null {
  if (told === undefined) return null
  const at = Date.parse(told)
  if (Number.isNaN(at))
    throw invalidField('body.expires_at', `expires_at is not a moment: ${told}; write it as 2030-01-31T09:00:00Z`)
  if (at <= now) throw invalidField('body.expires_at', `expires_at is past: ${told}`)
  return at
}
