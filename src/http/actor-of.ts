import type { Actor } from '../core/actor.ts'
import type { Caller } from './caller.ts'

/** The caller as events record it; `label` is what a person asked to be called. */
export function actorOf(caller: Caller, label?: string): Actor {
  const { kind } = caller
  if (kind === 'session') {
    const { session, names, agent, bead } = caller
    return { kind, name: names[0] ?? session, session, agent, ...(bead !== undefined && { bead }) }
  }
  if (kind === 'process') return { kind, name: caller.name }
  if (kind === 'agent') return { kind: 'human', name: caller.name }
  const requested = label?.trim() ?? ''
  return { kind, name: kind, ...(requested !== '' && requested !== kind && { label: requested }) }
}

/** The session that calls, if it belongs to this city. */
export const sessionOf = (caller: Caller, city: string): string | undefined =>
  caller.kind === 'session' && caller.city === city ? caller.session : undefined
