import { matchProcesses } from './match-processes.ts'
import { PlanBuilder } from './plan-builder.ts'
import { planStarts } from './plan-starts.ts'
import { planStops } from './plan-stops.ts'
import type { CitySnapshot, ReconcilePlan } from './snapshot.ts'

/**
 * Decides what to do next, from nothing but what is given. The same situation gives the same plan, and a situation
 * in which everything was done gives none.
 */
export function plan(situation: CitySnapshot): ReconcilePlan {
  if (!situation.hosted) return { actions: [], due: undefined }
  const turn = new PlanBuilder(situation, situation.hosted)
  matchProcesses(turn)
  planStops(turn)
  planStarts(turn)
  return turn.plan()
}
