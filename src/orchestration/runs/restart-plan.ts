import { AppError } from '../../core/errors.ts'
import type { Bead } from '../../work/beads/index.ts'
import { EngineKey, ResultKey, WorkflowKey, WorkKey } from '../../work/metadata.ts'
import { attemptNumber, hasAttempts, isOfAttempt } from './attempt-parts.ts'
import { failureOf } from './failure.ts'
import { LEFTOVER_REASON, metadataValue, SKIPPED_BY } from './node.ts'
import type { RunGraph } from './run-graph.ts'

/** Parts of a run that start again. */
export interface RestartPlan {
  /** Closed beads that are opened again, the root among them. */
  readonly reopened: readonly Bead[]
  /** Open beads after it, which wait only for repeated parts. */
  readonly held: readonly Bead[]
  /**
   * Fan-outs and drains among them that begin again, with the items, or the roots of the runs, that they made before.
   */
  readonly anew: ReadonlyMap<string, readonly Bead[]>
}

/** Request of a person. */
export type RestartRequest =
  | { readonly is: 'retry'; readonly steps: readonly string[]; readonly reason?: string }
  | { readonly is: 'skip'; readonly step: string; readonly reason: string }

/** A plan by the ids of its beads, the root of the run last. */
export interface StoredPlan {
  readonly reopened: readonly string[]
  readonly held: readonly string[]
  /** Earlier results of controls that start again, by control. */
  readonly anew: Readonly<Record<string, readonly string[]>>
  /** True if the run is held for this. */
  readonly isHeld: boolean
}

/** Kinds of beads that only follow what steps came to. */
const FOLLOWERS: ReadonlySet<string> = new Set(['scope', 'scope-check', 'fanout', 'workflow', 'workflow-finalize'])

/** Kinds of controls that make items of what was before them. */
const MAKERS: ReadonlySet<string> = new Set(['fanout', 'drain'])

/** Automatic restart points of a run: failed steps, else canceled ones. */
export function failedSteps(ended: readonly Bead[]): Bead[] {
  const failed = ended.filter((bead) => failureOf(bead) !== null)
  return failed.length > 0 ? failed : ended.filter((bead) => outcomeOf(bead) === 'canceled' && !isOfAttempt(bead))
}

/** Everything that comes after these steps begins again with them, and what was never begun because of them. */
export function planRestart(graph: RunGraph, root: string, steps: readonly Bead[]): RestartPlan {
  return new Planner(graph, root).plan(steps, () => true)
}

/** Plans decisions that followed from a step's failure again; work done after it stays. */
export function planWithout(graph: RunGraph, root: string, step: Bead): RestartPlan {
  const plan = new Planner(graph, root).plan([step], (bead) => FOLLOWERS.has(kindOf(bead)))
  return { ...plan, reopened: plan.reopened.filter(({ id }) => id !== step.id) }
}

class Planner {
  readonly #reached = new Map<string, Bead>()
  readonly #ended: readonly Bead[]
  readonly #decided: readonly string[]

  constructor(
    private readonly graph: RunGraph,
    private readonly root: string,
  ) {
    this.#ended = graph.ended(root)
    this.#decided = graph.decided(root)
  }

  plan(steps: readonly Bead[], follows: (bead: Bead) => boolean): RestartPlan {
    this.#reach(steps, follows)
    for (let before = -1; before !== this.#reached.size; ) {
      before = this.#reached.size
      this.#reach(
        this.#ended.filter((bead) => this.#isUnbegun(bead)),
        () => true,
      )
    }
    const reached = [...this.#reached.values()]
    const reopened = reached.filter((bead) => bead.status === 'closed' && isDoneAgain(bead))
    for (const bead of reached) this.#check(bead)
    const makers = reopened.filter((bead) => MAKERS.has(kindOf(bead)) && this.#hasNewSource(bead))
    const anew = makers.map((bead) => [bead.id, this.graph.blockers(bead.id).filter(isMade)] as const)
    const held = reached.filter(({ status }) => status !== 'closed')
    return { reopened, held, anew: new Map(anew) }
  }

  #reach(steps: readonly Bead[], follows: (bead: Bead) => boolean): void {
    for (const queue = [...steps]; queue.length > 0; ) {
      const bead = queue.pop()
      if (!bead || this.#reached.has(bead.id)) continue
      this.#reached.set(bead.id, bead)
      queue.push(...this.graph.dependents(this.root, bead.id).filter(follows))
    }
  }

  /** True if a bead was closed unbegun: with its run, or with a scope that is open again. */
  #isUnbegun(bead: Bead): boolean {
    if (this.#reached.has(bead.id) || isOfAttempt(bead)) return false
    if (outcomeOf(bead) === 'canceled') return true
    if (outcomeOf(bead) !== 'skipped') return false
    const reason = metadataValue(bead, WorkKey.closeReason)
    if (reason === LEFTOVER_REASON) return true
    const scope = metadataValue(bead, WorkflowKey.scopeRef)
    return scope !== '' && !reason.startsWith(SKIPPED_BY) && !this.#isDecided(bead) && this.#isOpenAgain(scope)
  }

  /** True if a condition decided that the step is not done. */
  #isDecided({ ref = '' }: Bead): boolean {
    return this.#decided.some((step) => ref === step || ref.startsWith(`${step}.`) || ref.startsWith(`${step}-`))
  }

  #isOpenAgain(scope: string): boolean {
    return [...this.#reached.values()].some(
      (bead) => metadataValue(bead, WorkflowKey.scopeRef) === scope && isDoneAgain(bead),
    )
  }

  /** Throws for what is worked on, and for what cannot be done a second time. */
  #check(bead: Bead): void {
    const isRoot = bead.id === this.root
    if (bead.status === 'in_progress' && !isRoot) {
      const by = bead.assignee ? `${bead.assignee} works on ${bead.id}` : `${bead.id} is in progress`
      throw conflict(`${by}: wait until it is closed, or release it first`)
    }
    if (bead.status === 'closed' || isRoot || isOfAttempt(bead)) return
    const isTried = hasAttempts(bead) && this.graph.blockers(bead.id).some((blocker) => attemptNumber(blocker) > 1)
    if (isTried || (isMaking(bead) && this.#hasNewSource(bead))) {
      throw conflict(`${bead.id} ("${bead.title}") comes after that step and has begun: wait until it is closed`)
    }
  }

  #hasNewSource(bead: Bead): boolean {
    return this.graph.blockers(bead.id).some((blocker) => !isMade(blocker) && this.#reached.has(blocker.id))
  }
}

/** Attempts stay as they ended, and what is not a person's to decide is not waited for again. */
function isDoneAgain(bead: Bead): boolean {
  if (isOfAttempt(bead)) return false
  return bead.issue_type !== 'gate' || metadataValue(bead, 'await_type') === 'human'
}

const kindOf = (bead: Bead): string => metadataValue(bead, WorkflowKey.kind)
const outcomeOf = (bead: Bead): string => metadataValue(bead, ResultKey.outcome)
/** True if a fan-out made the bead, or a drain the run that it is the root of. */
const isMade = (bead: Bead): boolean =>
  metadataValue(bead, EngineKey.dynamicFragment) === 'true' || metadataValue(bead, EngineKey.drainControlId) !== ''

/** True if a fan-out or a drain has begun. */
const isMaking = (bead: Bead): boolean =>
  metadataValue(bead, EngineKey.fanoutState) !== '' ||
  !['', 'pending'].includes(metadataValue(bead, EngineKey.drainState))
const conflict = (message: string): AppError => new AppError('conflict-wrong-state', message)
