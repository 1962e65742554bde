import { type Actor, GC } from '../core/actor.ts'
import type { Caller } from './caller.ts'

/** The caller as events record it, with the request that it makes; `label` is what a person asked to be called. */
export function actorOf(caller: Caller, label?: string): Actor {
  const { kind, request } = caller
  const asked = request && { request }
  if (kind === 'session') {
    const { session, names, agent, bead } = caller
    return { kind, name: names[0] ?? session, session, agent, ...(bead !== undefined && { bead }), ...asked }
  }
  if (kind === 'process') return { kind, name: caller.name, ...asked }
  if (kind === 'agent') return { kind: 'human', name: caller.name, ...asked }
  if (kind === 'person') return { kind, name: `@${caller.person}`, ...asked }
  const requested = label?.trim() ?? ''
  return { kind, name: kind, ...(requested !== '' && requested !== kind && { label: requested }), ...asked }
}

/** The name of the person who calls, as reviews, approvals and landings record it; for a program, its own. */
export const personOf = (caller: Caller): string =>
  'person' in caller && caller.person !== undefined ? caller.person : actorOf(caller).name

/** The session that calls, if it belongs to this city. */
export const sessionOf = (caller: Caller, city: string): string | undefined =>
  caller.kind === 'session' && caller.city === city ? caller.session : undefined

/** gc itself, acting for the request of a caller. */
export const gcFor = ({ request }: Caller): Actor => (request ? { ...GC, request } : GC)

/** The caller of a part of a change, whose answer is not that of the request. */
export const partOf = (caller: Caller): Caller => Object.create(caller, { request: { value: undefined } })

/** The caller as the actor of writes that return nothing: `answer` is what the request is answered with after the last. */
export const answering = (caller: Caller, answer: object): Actor =>
  caller.request ? { ...actorOf(caller), answer } : actorOf(caller)
