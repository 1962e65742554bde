import { AppError, invalidField } from '../../core/errors.ts'
import type { Caller } from '../../http/caller.ts'
import type { BeadRepository } from '../beads/repository.ts'
import type { WaitCreate } from './schema.ts'
import type { WaitingSession, WaitingSessions } from './sessions.ts'

interface WaitContext {
  caller: Caller
  /** The city's name. */
  city: string
  now: number
  sessions: Pick<WaitingSessions, 'resolve'>
  beads: Pick<BeadRepository, 'assertExists'>
}

/** A wait that may be created. */
export interface WaitRequest {
  session: WaitingSession
  /** The session that requested it; null for people. */
  createdBy: string | null
  beads: readonly string[]
  expiresAt: number | null
}

const MAX_NOTE = 8 * 1024

/** Validates a request to wait; throws for a session, bead or time that cannot be waited for. */
export function parseWait(body: WaitCreate, context: WaitContext): WaitRequest {
  const session = waitingSession(body.session, context)
  if (Buffer.byteLength(body.note ?? '') > MAX_NOTE) throw invalidField('body.note', 'note is too long: at most 8 KB')
  const beads = [...new Set(body.on_beads)]
  for (const id of beads) context.beads.assertExists(id)
  const createdBy = context.caller.kind === 'session' ? context.caller.session : null
  return { session, createdBy, beads, expiresAt: parseExpiry(body.expires_at, context.now) }
}

/** A session can only wait itself; a person has to name one. */
function waitingSession(token: string | undefined, { caller, city, sessions }: WaitContext): WaitingSession {
  const name = token?.trim()
  if (caller.kind !== 'session') {
    if (!name) throw invalidField('body.session', 'say which session waits, by its id, alias or name')
    return sessions.resolve(name)
  }
  if (caller.city !== city) throw new AppError('forbidden', `forbidden: this session is of the city ${caller.city}`)
  const session = sessions.resolve(name || caller.session)
  if (session.id === caller.session) return session
  throw new AppError('forbidden', `forbidden: a session can only wait itself, and this is not ${session.id}`)
}

function parseExpiry(value: string | undefined, now: number): number | null {
  if (value === undefined) return null
  const timestamp = Date.parse(value)
  if (Number.isNaN(timestamp)) {
    throw invalidField('body.expires_at', `expires_at is not a timestamp: ${value}; write it as 2030-01-31T09:00:00Z`)
  }
  if (timestamp <= now) throw invalidField('body.expires_at', `expires_at is in the past: ${value}`)
  return timestamp
}
