import { AppError } from '../../../core/errors.ts'
import { query, type Store, stablePlan } from '../../../core/store/index.ts'
import { EngineKey, LaunchKey } from '../../../work/metadata.ts'
import { SLING_WORKFLOW_CONFLICT } from './errors.ts'
import { rootKeyOf } from './launch-variables.ts'

/** A run that continues for a bead. */
export interface LiveRun {
  readonly root: string
  /** Identity of a launch; '' for one of an older system. */
  readonly key: string
}

const KEY = `metadata ->> '$."${LaunchKey.rootKey}"'`

const BY_LAUNCH = query<LiveRun, [string, string]>(
  stablePlan(`SELECT id AS root, ${KEY} AS key FROM beads INDEXED BY beads_by_launch
       WHERE ${KEY} >= ? AND ${KEY} < ? AND ${KEY} IS NOT NULL AND closed = 0`),
)

const CONVOYS = query<{ id: string }, [string]>(
  stablePlan("SELECT issue_id AS id FROM bead_edges WHERE depends_on_id = ? AND type = 'tracks'"),
)

const runsBy = (key: string) =>
  query<LiveRun, [string]>(
    stablePlan(`SELECT id AS root, coalesce(metadata ->> '$."${LaunchKey.rootKey}"', '') AS key FROM beads
       WHERE metadata ->> '$."${key}"' = ? AND metadata ->> '$."${key}"' IS NOT NULL AND closed = 0`),
  )

const BY_CONVOY = runsBy(EngineKey.inputConvoyId)

const BY_SOURCE = runsBy(EngineKey.sourceBeadId)

/** Finds the graphs that continue for a bead: by the convoys they were launched for or drain, or by its own id. */
export class LiveRuns {
  constructor(private readonly store: Store) {}

  of(bead: string): LiveRun[] {
    const convoys = [bead, ...this.store.all(CONVOYS, bead).map(({ id }) => id)]
    const runs = [...convoys.flatMap((convoy) => this.#ofConvoy(convoy)), ...this.store.all(BY_SOURCE, bead)]
    return [...new Map(runs.map((run) => [run.root, run])).values()]
  }

  #ofConvoy(convoy: string): LiveRun[] {
    const key = rootKeyOf(convoy)
    return [...this.store.all(BY_LAUNCH, `${key}:`, `${key};`), ...this.store.all(BY_CONVOY, convoy)]
  }
}

/** The error of a launch for a bead for which others continue. */
export function workflowConflict(bead: string, runs: readonly LiveRun[], storeRef: string): AppError {
  const roots = runs.map(({ root }) => root).sort()
  const hint = `gc workflow delete-source ${bead} --store-ref ${storeRef} --apply`
  const message = `source bead ${bead} already has live workflow(s): ${roots.join(', ')}; force starts another, or clean up with: ${hint}`
  return new AppError(SLING_WORKFLOW_CONFLICT, message, {
    fieldErrors: [
      { location: 'body.source_bead_id', value: bead, message: 'the bead that was slung' },
      { location: 'body.blocking_workflow_ids', value: roots, message: 'its active runs' },
      { location: 'body.hint', value: hint, message: 'what cleans them up' },
    ],
  })
}
