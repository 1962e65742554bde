import type { Tx } from '../../../core/store/index.ts'
import type { Bead, BeadRepository } from '../../../work/beads/index.ts'
import { EngineKey, ResultKey, WorkflowKey, WorkKey } from '../../../work/metadata.ts'
import type { RunStatus } from '../../schema.ts'
import { failureOf } from '../failure.ts'
import type { RunHolds } from '../holds.ts'
import { metadataValue } from '../node.ts'
import { isFinal, type RunRepository, type RunRow } from '../repository.ts'
import type { Graph } from './graph.ts'

interface StateOptions {
  beads: BeadRepository
  runs: RunRepository
  holds: Pick<RunHolds, 'isPaused'>
  graph: Graph
}

const MAX_DEPTH = 50
const OUTCOME_STATES: Readonly<Record<string, RunStatus>> = {
  fail: 'failed',
  skipped: 'skipped',
  canceled: 'canceled',
}

/** Moves the rows of runs with the beads that they are made of. */
export class RunStates {
  constructor(private readonly options: StateOptions) {}

  /** The run that a bead is of: it names its root, is it, or lies under it. */
  runOf(bead: Bead): RunRow | undefined {
    const { runs, beads } = this.options
    const named = metadataValue(bead, WorkflowKey.rootBeadId)
    if (named !== '') return runs.find(named)
    let at: Bead | undefined = bead
    for (let depth = 0; at && depth < MAX_DEPTH; depth++) {
      const run = runs.find(at.id)
      if (run) return run
      at = at.parent ? beads.find(at.parent) : undefined
    }
    return undefined
  }

  /** True if a bead may be of a run: the root that it names or lies under may be one that is still to be adopted. */
  mayBeOfRun(bead: Bead): boolean {
    return mayBeginInRun(bead) || this.options.runs.find(bead.id) !== undefined
  }

  /** Adds a row for a graph or molecule that somebody wrote bead by bead. */
  adopt(tx: Tx, bead: Bead): void {
    const { runs, beads } = this.options
    if (!isRoot(bead)) return
    if (metadataValue(bead, EngineKey.instantiating) !== '' || runs.find(bead.id)) return
    const rig = beads.rigOf(bead.id)
    const scope = {
      kind: metadataValue(bead, WorkflowKey.scopeKind) || (rig === '' ? '' : 'rig'),
      ref: metadataValue(bead, WorkflowKey.scopeRef) || rig,
    }
    const formula = metadataValue(bead, EngineKey.formulaName) || metadataValue(bead, EngineKey.formula) || bead.ref
    runs.add(
      tx,
      {
        ...{ root: bead.id, formula: formula ?? '', contract: isGraph(bead) ? 'v2' : 'v1', origin: 'sling', scope },
        target: targetOf(bead),
      },
      bead.status === 'closed' ? finalState(bead) : 'pending',
    )
  }

  /** Follows a change of a bead that is of a run. */
  follow(tx: Tx, run: RunRow, bead: Bead): void {
    const { beads, runs } = this.options
    runs.setWaiting(tx, run.rootId, bead.id, this.options.graph.isWaiting(bead.id))
    const root = beads.find(run.rootId)
    if (!root) return
    const error = run.errorMessage || failureOf(bead, (part) => runs.find(part)?.errorMessage)
    if (error !== null && error !== run.errorMessage) runs.setError(tx, run.rootId, error)
    const state = this.#stateOf(run, root, bead)
    runs.move(tx, run, state, errorAt(state, root, error))
    if (!isFinal(state)) runs.touch(tx, run.rootId)
  }

  #stateOf(run: RunRow, root: Bead, bead: Bead): RunStatus {
    if (root.status === 'closed') return finalState(root)
    if (metadataValue(root, EngineKey.cancelRequested) !== '') return 'canceling'
    if (this.options.holds.isPaused(run.rootId)) return 'waiting'
    if (this.options.runs.waitOf(run.rootId) !== undefined) return 'waiting'
    const isBegun = bead.id !== run.rootId && (bead.status === 'in_progress' || bead.status === 'closed')
    if (run.state === 'active' || isBegun) return 'active'
    if (run.state === 'pending') return 'pending'
    return this.options.graph.hasBegun(run.rootId) ? 'active' : 'pending'
  }
}

/** The agent that a run was started for. */
export const targetOf = (root: Bead): string =>
  metadataValue(root, EngineKey.executionRoutedTo) ||
  metadataValue(root, WorkKey.routedTo) ||
  metadataValue(root, EngineKey.runTarget) ||
  'workflow'

const isGraph = (bead: Bead): boolean => metadataValue(bead, EngineKey.formulaContract) === 'graph.v2'

const isRoot = (bead: Bead): boolean => isGraph(bead) || bead.issue_type === 'molecule'

/** The same of a bead that was just created: each run is made with a root that shows that it is one. */
export const mayBeginInRun = (bead: Bead): boolean =>
  metadataValue(bead, WorkflowKey.rootBeadId) !== '' || Boolean(bead.parent) || isRoot(bead)

const finalState = (root: Bead): RunStatus => OUTCOME_STATES[metadataValue(root, ResultKey.outcome)] ?? 'completed'

function errorAt(state: RunStatus, root: Bead, message: string | null) {
  if (state === 'failed') return { code: metadataValue(root, ResultKey.outcome), message: message ?? '' }
  return state === 'canceled' ? { code: 'canceled', message: CANCELED } : undefined
}

const CANCELED = 'run canceled via POST /runs/{id}/cancel'
