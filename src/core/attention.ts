/** One thing that waits for a person, as the part of the program that notices it lists it. */
export interface AttentionEntry {
  /** The same for as long as the same thing waits, and unlike that of anything else: `<kind>:<subject>`. */
  readonly id: string
  /** One of the kinds in the API document. */
  readonly kind: string
  /** What waits, in a sentence. */
  readonly asks: string
  /** What a person can do about it: a command line, or a sentence with one. */
  readonly to_do: string
  /** Since when, RFC 3339; absent: since it was first listed. */
  readonly since?: string
  /** When it may end by itself, RFC 3339; the list is made again then. */
  readonly until?: string
  readonly agent?: string
  readonly rig?: string
  readonly bead_id?: string
  readonly session_id?: string
  readonly session_name?: string
}

/** What became of an entry that is not listed any more: a sentence, and who did it when that is known. */
export interface AttentionResolution {
  readonly text: string
  readonly by?: string
}

/** The things of one kind, or of a few, that wait for a person. */
export interface AttentionSource<Entry extends AttentionEntry = AttentionEntry> {
  /** Unlike that of any other source, and the same in every version: what was listed is stored with it. */
  readonly name: string
  /** What waits now, from memory or by an index; undefined while that is not known yet. */
  items(): readonly Entry[] | undefined
  /** Calls the listener whenever that may have changed; returns how to unsubscribe. */
  onChange(listener: () => void): () => void
  /** What became of an entry that it does not list any more. */
  resolution?(id: string): AttentionResolution | undefined
}
