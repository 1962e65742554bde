import { SessionCreating } from './creating.ts'
import { SessionMessaging } from './messaging.ts'
import { openSessionParts, type SessionsOptions } from './parts.ts'
import { SessionReading } from './reading.ts'
import { SessionRunning } from './running.ts'
import { Terminals } from './terminals.ts'

/** The services of a city's sessions, by what callers do with them. */
export interface SessionOperations {
  readonly reading: SessionReading
  readonly creating: SessionCreating
  readonly running: SessionRunning
  readonly messaging: SessionMessaging
  readonly terminals: Terminals
}

/** Builds the services of a city's sessions, and what they are made of. */
export function openSessions(options: SessionsOptions) {
  const opened = openSessionParts(options)
  const parts = { ...options, ...opened }
  const operations: SessionOperations = {
    reading: new SessionReading(parts),
    creating: new SessionCreating(parts),
    running: new SessionRunning(parts),
    messaging: new SessionMessaging(parts),
    terminals: new Terminals(parts.context, parts),
  }
  return { ...opened, operations }
}
