import type { Database } from 'bun:sqlite'
import { usageCounterChecks } from '../../agents/usage/index.ts'
import { gcPart } from '../../core/actor.ts'
import { INSERT, toDraft, toValues } from '../../core/events/index.ts'
import { type CounterCheck, type Miscount, repairCounters } from '../../core/store/index.ts'
import { runCounterChecks } from '../../orchestration/runs/index.ts'
import type { Dep } from '../../work/beads/index.ts'
import {
  type BeadRow,
  beadCounterChecks,
  eventFactsOf,
  eventPayloadOf,
  ROW_COLUMNS,
  toBead,
} from '../../work/beads/index.ts'
import { BeadUpdated } from '../../work/events.ts'
import { mailCounterChecks } from '../../work/mail/index.ts'
import { sessionCounterChecks } from '../../work/sessions/index.ts'

/** Every counter of a city. A check may rely on those before it. */
export const cityCounterChecks: readonly CounterCheck[] = [
  ...beadCounterChecks,
  ...mailCounterChecks,
  ...runCounterChecks,
  ...sessionCounterChecks,
  ...usageCounterChecks,
]

/** Actor that corrects counters. */
export const COUNTERS = gcPart('counters')

/** Counters that decide whether a bead is ready. */
const DECIDING: readonly string[] = ['beads.workable', 'beads.blockers']

/** True if the correct value may make a bead ready, or the opposite. */
export const isAboutReadiness = ({ counter }: Miscount): boolean => DECIDING.includes(counter)

/**
 * Corrects every counter of a city's database, in the transaction under way. An event about each bead that this releases
 * has the city act on it once it is open.
 */
export function repairCityCounters(db: Database, now = Date.now()): Miscount[] {
  const miscounts = repairCounters(db, cityCounterChecks)
  const row = db.prepare<BeadRow, [string]>(`SELECT ${ROW_COLUMNS} FROM beads WHERE id = ?`)
  const edges = db.prepare<Dep, [string]>('SELECT issue_id, depends_on_id, type FROM bead_edges WHERE issue_id = ?')
  const record = db.prepare(INSERT)
  for (const id of new Set(miscounts.filter(isAboutReadiness).map((each) => each.id))) {
    const found = row.get(id)
    if (!found) continue
    const bead = toBead(found, found.edges > 0 ? edges.all(id) : undefined)
    record.run(...toValues(toDraft(BeadUpdated.type, now, COUNTERS, eventFactsOf(bead), eventPayloadOf(bead), false)))
  }
  return miscounts
}
