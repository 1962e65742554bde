import { arrive } from './arrive.ts'
import { leave } from './leave.ts'
import { match } from './matching.ts'
import type { Plan, Situation } from './state.ts'
import { Turn } from './turn.ts'

/**
 * Decides what to do next, from nothing but what is given. The same situation gives the same plan, and a situation
 * in which everything was done gives none.
 */
export function plan(situation: Situation): Plan {
  if (!situation.hosted) return { actions: [], due: undefined }
  const turn = new Turn(situation, situation.hosted)
  match(turn)
  leave(turn)
  arrive(turn)
  return turn.plan()
}
