import type { AttentionKindName } from './error-catalogue.ts'

/** One thing that waits for a person, as the part of the program that notices it lists it. */
export interface AttentionEntry {
  /** The same for as long as the same thing waits, and unlike that of anything else: `<kind>:<subject>`. */
  readonly id: string
  /** Its entry in the catalogue. */
  readonly kind: AttentionKindName
  /** The item in a sentence. */
  readonly asks: string
  /** Fix for a person: a command line, or a sentence with one. */
  readonly to_do: string
  /** Since when, RFC 3339; absent: since it was first listed. */
  readonly since?: string
  /** Time at which it may end automatically, RFC 3339; the list is made again then. */
  readonly until?: string
  readonly agent?: string
  readonly rig?: string
  readonly bead_id?: string
  readonly session_id?: string
  readonly session_name?: string
}

/** Outcome of an entry that is no longer listed: a sentence, and the actor if known. */
export interface AttentionResolution {
  readonly text: string
  readonly by?: string
}

/** The things of one kind, or of a few, that wait for a person. */
export interface AttentionSource<Entry extends AttentionEntry = AttentionEntry> {
  /** Unlike that of any other source, and the same in every version: what was listed is stored with it. */
  readonly name: string
  /** Current items, from memory or by an index; undefined while unknown. */
  items(): readonly Entry[] | undefined
  /** Calls the listener whenever that may have changed; returns how to unsubscribe. */
  onChange(listener: () => void): () => void
  /** Outcome of an entry that it no longer lists. */
  resolution?(id: string): AttentionResolution | undefined
}
