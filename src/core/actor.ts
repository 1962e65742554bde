/** Who makes a change, as events and histories record it. */
export interface Actor {
  readonly kind: 'human' | 'operator' | 'session' | 'process' | 'gc'
  /** As events name it: a session's name, `human`, `scale_check of worker`, `gc/reconciler`. */
  readonly name: string
  /** The session, its agent, and the bead that it works on. */
  readonly session?: string
  readonly agent?: string
  readonly bead?: string
  /** The name that a person gave, which proves nothing. */
  readonly label?: string
}

/** A part of gc itself, which acts for nobody. */
export const gcPart = (name: string): Actor => ({ kind: 'gc', name: `gc/${name}` })

/** gc itself, where no part of it is named. */
export const GC: Actor = { kind: 'gc', name: 'gc' }
