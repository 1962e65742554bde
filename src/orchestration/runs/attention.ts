import type { CityConfig } from '../../config/city/index.ts'
import type { AttentionEntry, AttentionSource } from '../../core/attention.ts'
import type { CityContext } from '../../core/city-context.ts'
import { toTimestamp } from '../../core/clock.ts'
import type { Deadline } from '../../core/deadlines.ts'
import { query, stablePlan } from '../../core/store/index.ts'
import type { Bead, BeadRepository } from '../../work/beads/index.ts'
import { EngineKey, WorkflowKey } from '../../work/metadata.ts'
import { isPool } from '../formulas/index.ts'
import { guardedStep, metadataValue } from './node.ts'

/** On a control of a run that could not do what it is for. */
export const QUARANTINED_LABEL = 'gc:control-quarantined'
/** Events with which a run begins to wait for a person, or ends that. */
const RUN_EVENTS: ReadonlySet<string> = new Set(['run.changed', 'run.retried', 'run.step_skipped', 'run.dismissed'])
/** So many are listed: the newest. */
const MAX_LISTED = 100
/** Changes within this time are announced together. */
const SETTLING_MS = 250

/**
 * True if the bead of an event is such a control, whatever its labels are by now, a molecule, or one that holds up
 * others.
 */
function isStuck(payload: unknown): boolean {
  const { issue_type: type, metadata }: Record<string, unknown> = Object(Object(payload).bead)
  const { [EngineKey.quarantined]: quarantined, [WorkflowKey.kind]: kind }: Record<string, unknown> = Object(metadata)
  return quarantined !== undefined || kind === 'failure-guard' || type === 'molecule'
}

/** Molecules that an order began and no one has taken: the root holds its steps together, and is not work itself. */
const UNTAKEN_MOLECULES = `SELECT r.root_id AS root, r.formula, r.target, r.started_at AS since
  FROM runs r INDEXED BY runs_fed CROSS JOIN beads b ON b.id = r.root_id
  WHERE r.feed_rank = 1 AND r.contract = 'v1' AND r.origin = 'order' AND b.type = 'molecule' AND b.assignee = ''
  ORDER BY r.updated_at DESC LIMIT ?`

interface UntakenMolecule {
  root: string
  formula: string
  target: string
  since: number
}

/** Runs that are over and in which a step failed, and that no one dismissed. */
const FAILURES = `SELECT root_id AS root, formula, state, updated_at AS since, error_message AS failure
  FROM runs INDEXED BY runs_with_failure WHERE error_message IS NOT NULL AND dismissed_at IS NULL
    AND (state = 'completed' OR (state = 'failed' AND parent_id IS NULL))
  ORDER BY updated_at DESC, root_id LIMIT ?`

interface FailedRun {
  root: string
  formula: string
  state: string
  since: number
  failure: string
}

const GUARDS = query<{ id: string; root: string; since: number }, [number]>(
  stablePlan(`SELECT b.id, w.root_id AS root, w.since FROM beads b CROSS JOIN run_waits w ON w.bead_id = b.id
       WHERE b.workable = 0 AND b.status = 'open' AND b.blockers = 0
         AND b.metadata ->> '$."${WorkflowKey.kind}"' = 'failure-guard' ORDER BY b.created_at LIMIT ?`),
)

const UNTAKEN = query<UntakenMolecule, [number]>(stablePlan(UNTAKEN_MOLECULES))

const FAILED_RUNS = query<FailedRun, [number]>(stablePlan(FAILURES))

const LABELLED = query<{ id: string }, [string, number]>(
  stablePlan('SELECT id FROM bead_labels WHERE label = ? AND closed = 1 ORDER BY created_at DESC, id DESC LIMIT ?'),
)

/** Controls of runs that were set aside until a person takes their label off, and what else keeps a run from going on. */
export class RunAttention implements AttentionSource {
  readonly name = 'runs'

  constructor(
    private readonly context: CityContext,
    private readonly config: { readonly current: Pick<CityConfig, 'agents'> },
    private readonly beadRepository: BeadRepository,
  ) {}

  items(): AttentionEntry[] {
    const quarantined = this.#quarantinedBeads()
    const named = new Set(quarantined.map((bead) => metadataValue(bead, WorkflowKey.rootBeadId)))
    return [
      ...quarantined.map(quarantinedEntry),
      ...this.#blocking(),
      ...this.#untakenByPools(),
      ...this.#failed().filter(({ bead_id }) => !named.has(bead_id)),
    ]
  }

  /** Runs that are over and in which a step failed, whether the run failed with it or not. */
  #failed(): (AttentionEntry & { readonly bead_id: string })[] {
    return this.context.store.all(FAILED_RUNS, MAX_LISTED).map(({ root, formula, state, since, failure }) => ({
      ...{ id: `run-failure:${root}`, kind: 'run', bead_id: root, since: toTimestamp(since) },
      asks: `Run ${root}${formula && ` of ${formula}`} ${state === 'failed' ? 'failed:' : 'completed, but'} ${failure}.`,
      to_do: `gc run show ${root}; gc run retry ${root} --step <step> repeats it, gc run dismiss ${root} clears this`,
    }))
  }

  /** Molecules that no session of their pool is ever offered. */
  #untakenByPools(): AttentionEntry[] {
    const pools = new Set(this.config.current.agents.filter(isPool).map(({ qualified }) => qualified))
    return this.context.store
      .all(UNTAKEN, MAX_LISTED)
      .filter(({ target }) => pools.has(target))
      .map(({ root, formula, target, since }) => ({
        ...{ id: `run:${root}`, kind: 'run', bead_id: root, since: toTimestamp(since) },
        asks: `Run ${root} is a molecule of the formula ${formula}, which no session of the pool ${target} is offered.`,
        to_do:
          'give the formula phase = "vapor" or [requires] formula_compiler = ">=2.0.0" for the next runs of its order, ' +
          `and end this one with gc run cancel ${root}`,
      }))
  }

  /** Steps that failed and hold up what needs them. */
  #blocking(): AttentionEntry[] {
    const guards = this.context.store.all(GUARDS, MAX_LISTED)
    const titles = new Map(this.beadRepository.list(guards.map(({ id }) => id)).map((bead) => [bead.id, bead]))
    return guards.flatMap(({ id, root, since }) => {
      const bead = titles.get(id)
      if (!bead) return []
      const step = guardedStep(bead)
      return {
        ...{ id: `run:${id}`, kind: 'run', bead_id: id, since: toTimestamp(since) },
        asks: `The step "${step.title}" of run ${root} failed, and what needs it waits.`,
        to_do: `gc run retry ${root} --step ${step.name}, or gc run skip ${root} ${step.name} --reason <why>`,
      }
    })
  }

  #quarantinedBeads(): Bead[] {
    const ids = this.context.store.all(LABELLED, QUARANTINED_LABEL, MAX_LISTED).map(({ id }) => id)
    return this.beadRepository.list(ids)
  }

  onChange(listener: () => void): () => void {
    let waiting: Deadline | undefined
    const unsubscribe = this.context.log.subscribe(({ type, payload }) => {
      const isAboutOne = type.startsWith('bead.') ? isStuck(payload) : RUN_EVENTS.has(type)
      if (!isAboutOne) return
      waiting ??= this.context.deadlines.after(SETTLING_MS, () => {
        waiting = undefined
        listener()
      })
    })
    return () => {
      waiting?.cancel()
      unsubscribe()
    }
  }
}

function quarantinedEntry(bead: Bead): AttentionEntry {
  const run = metadataValue(bead, WorkflowKey.rootBeadId)
  const reason = metadataValue(bead, EngineKey.quarantineReason)
  const since = metadataValue(bead, EngineKey.quarantinedAt)
  return {
    ...{ id: `run:${bead.id}`, kind: 'run', bead_id: bead.id, ...(since && { since }) },
    asks: `The step "${bead.title}" of run ${run} was set aside: ${reason || 'it could not be run'}.`,
    to_do: `once its cause is fixed, gc run retry ${run} --step ${bead.id}; or gc run skip ${run} ${bead.id} --reason <why>`,
  }
}
