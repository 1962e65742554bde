import { sha256 } from '../../core/digest.ts'

/** A short hash of each part of the declaration that a session is started from, by the key that declares it. */
export type Fingerprint = Readonly<Record<string, string>>

/** The one part that is applied to a running session: its commands are run again. */
export const LIVE = 'session_live'

export function fingerprint(parts: Readonly<Record<string, unknown>>): Fingerprint {
  return Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [name, sha256(JSON.stringify(part) ?? '').slice(0, 16)]),
  )
}

/** The parts that differ. Parts that only one of the two has are not compared. */
export const driftOf = (started: Fingerprint, declared: Fingerprint): string[] =>
  Object.keys(declared).filter((name) => started[name] !== undefined && started[name] !== declared[name])
