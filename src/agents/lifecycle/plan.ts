import { matchProcesses } from './match-processes.ts'
import { PlanBuilder } from './plan-builder.ts'
import { planStarts } from './plan-starts.ts'
import { planStops } from './plan-stops.ts'
import type { CitySnapshot, ReconcilePlan } from './snapshot.ts'

/**
 * Decides what to do next. A pure function: the same snapshot gives the same plan, and one in which everything is done
 * gives an empty plan.
 */
export function plan(snapshot: CitySnapshot): ReconcilePlan {
  if (!snapshot.hosted) return { actions: [], due: undefined }
  const builder = new PlanBuilder(snapshot, snapshot.hosted)
  matchProcesses(builder)
  planStops(builder)
  planStarts(builder)
  return builder.plan()
}
