import { createHash } from 'node:crypto'

/** What a session is started from, a short hash for each part; the parts bear the names of the keys that declare them. */
export type Fingerprint = Readonly<Record<string, string>>

/** The one part that a running session takes up as it is: its commands are run again. */
export const LIVE = 'session_live'

export function fingerprint(parts: Readonly<Record<string, unknown>>): Fingerprint {
  return Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [
      name,
      createHash('sha256')
        .update(JSON.stringify(part) ?? '')
        .digest('hex')
        .slice(0, 16),
    ]),
  )
}

/** The parts that differ. Nothing is known of a session without a fingerprint, and of parts that only one has. */
export const driftOf = (started: Fingerprint, declared: Fingerprint): string[] =>
  Object.keys(declared).filter((name) => started[name] !== undefined && started[name] !== declared[name])
