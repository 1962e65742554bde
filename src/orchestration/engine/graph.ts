import { type Statement, type Store, stablePlan } from '../../core/store/index.ts'
import { type Bead, type BeadRepository, isControl } from '../../work/beads/index.ts'
import { EngineKey, ResultKey, WorkflowKey } from '../../work/metadata.ts'
import { metadataValue } from '../runs/index.ts'

interface IdRow {
  id: string
}

/** Reads the graphs of runs, from indexes: no question costs more because there were other runs. */
export class Graph {
  readonly #released: Statement<IdRow, [string]>
  readonly #controls: Statement<IdRow, [string]>
  readonly #blockers: Statement<IdRow, [string]>
  readonly #failedBlocker: Statement<IdRow, [string, string]>
  readonly #writtenBlocker: Statement<IdRow, [string]>
  readonly #waitsForMore: Statement<{ more: number }, [string, string]>
  readonly #openParts: Statement<IdRow, [string, string, string, number]>
  readonly #scopeMembers: Statement<IdRow, [string, string]>
  readonly #scopeBodies: Statement<IdRow, [string]>
  readonly #spec: Statement<IdRow, [string, string]>
  readonly #aborted: Statement<IdRow, [string]>
  readonly #waiting: Statement<IdRow, [string]>
  readonly #begun: Statement<IdRow, [string]>

  constructor(
    store: Store,
    private readonly beads: BeadRepository,
  ) {
    const unblocked = "workable = 0 AND status = 'open' AND blockers = 0"
    this.#released = store.prepare(
      stablePlan(`SELECT b.id FROM bead_edges e CROSS JOIN beads b ON b.id = e.issue_id
       WHERE e.depends_on_id = ? AND e.gating = 1 AND (b.workable = 0 OR b.type = 'epic')
         AND b.status = 'open' AND b.blockers = 0 GROUP BY b.n ORDER BY b.n`),
    )
    this.#controls = store.prepare(
      stablePlan(`SELECT id FROM beads WHERE root_id = ? AND root_id IS NOT NULL AND ${unblocked} ORDER BY n`),
    )
    this.#blockers = store.prepare('SELECT depends_on_id AS id FROM bead_edges WHERE issue_id = ? AND gating = 1')
    const blocking = `SELECT b.id FROM bead_edges e CROSS JOIN beads b ON b.id = e.depends_on_id
       WHERE e.issue_id = ?1 AND e.gating = 1`
    this.#failedBlocker = store.prepare(
      stablePlan(`${blocking} AND b.id != ?2 AND b.metadata ->> '$."${ResultKey.outcome}"' = 'fail' LIMIT 1`),
    )
    this.#writtenBlocker = store.prepare(
      stablePlan(`${blocking} AND b.metadata ->> '$."${EngineKey.dynamicFragment}"' IS NOT 'true' LIMIT 1`),
    )
    this.#waitsForMore = store.prepare(
      stablePlan(`SELECT blockers > EXISTS (${blocking} AND b.id = ?2 AND b.status != 'closed') AS more
       FROM beads WHERE id = ?1`),
    )
    this.#openParts = store.prepare(
      stablePlan(`SELECT id FROM beads
       WHERE root_id = ?1 AND root_id IS NOT NULL AND scope_ref = ?2 AND scope_ref IS NOT NULL AND status != 'closed'
         AND id != ?3 AND type != 'spec'
         AND coalesce(metadata ->> '$."${EngineKey.scopeRole}"', '') IN ('member', 'control', '') LIMIT ?4`),
    )
    this.#scopeMembers = store.prepare(
      stablePlan(`SELECT id FROM beads
       WHERE root_id = ? AND root_id IS NOT NULL AND scope_ref = ? AND scope_ref IS NOT NULL`),
    )
    this.#scopeBodies = store.prepare(
      stablePlan(`SELECT id FROM beads WHERE root_id = ? AND metadata ->> '$."${WorkflowKey.kind}"' = 'scope'`),
    )
    this.#spec = store.prepare(
      stablePlan("SELECT id FROM beads WHERE root_id = ? AND root_id IS NOT NULL AND type = 'spec' AND ref = ?"),
    )
    this.#aborted = store.prepare(
      stablePlan(`SELECT id FROM beads
       WHERE root_id = ? AND root_id IS NOT NULL AND scope_ref IS NOT NULL AND status = 'closed'
         AND metadata ->> '$."${EngineKey.onFail}"' = 'abort_scope' AND metadata ->> '$."${ResultKey.outcome}"' = 'fail'
         AND metadata ->> '$."${WorkflowKey.attempt}"' IS NULL LIMIT 1`),
    )
    this.#waiting = store.prepare(
      "SELECT id FROM beads WHERE id = ? AND (status = 'blocked' OR (status = 'open' AND blockers = 0 AND " +
        `(type = 'gate' OR metadata ->> '$."${WorkflowKey.kind}"' = 'failure-guard')))`,
    )
    this.#begun = store.prepare(
      stablePlan("SELECT id FROM beads WHERE root_id = ? AND status IN ('in_progress', 'closed') LIMIT 1"),
    )
  }

  /** Unblocked beads after this one that are no work for agents: controls, gates and parents. */
  released(id: string): string[] {
    return this.#released.all(id).map((row) => row.id)
  }

  /** The controls of a run that wait for nothing. */
  controls(root: string): string[] {
    return this.#controls.all(root).map((row) => row.id)
  }

  /** Former blockers of a bead, oldest first. */
  blockers(id: string): Bead[] {
    return this.beads.list(this.#blockers.all(id).map((row) => row.id))
  }

  /** True if a step is the parent of others, which it waits for. */
  isParent(bead: Bead): boolean {
    return bead.issue_type === 'epic' && this.children(bead).length > 0
  }

  /** The parts of a step, which it waits for. */
  children({ id, ref = '' }: Bead): Bead[] {
    return this.blockers(id).filter((blocker) => blocker.ref?.startsWith(`${ref}.`))
  }

  /** True if a bead waits for something besides another. */
  waitsForMore(id: string, besides: string): boolean {
    return this.#waitsForMore.get(id, besides)?.more === 1
  }

  /** True if something that a bead waited for failed, besides another. */
  hasFailedBlocker(id: string, besides = ''): boolean {
    return this.#failedBlocker.get(id, besides) !== null
  }

  /** Blocker of a control among the parts of its formula, without its own items. */
  writtenBlocker(id: string): Bead | undefined {
    const row = this.#writtenBlocker.get(id)
    return row ? this.beads.find(row.id) : undefined
  }

  /** True if anything of a scope is open besides one: teardown, which comes after it, does not count. */
  hasOpenPart(root: string, scope: string, besides: string): boolean {
    return this.#openParts.get(root, scope, besides, 1) !== null
  }

  /** Open parts of a scope besides one. */
  openParts(root: string, scope: string, besides: string): Bead[] {
    return this.beads.list(this.#openParts.all(root, scope, besides, -1).map((row) => row.id))
  }

  /** The attempts that a control waited for; not what its step needs, which may be of a round and have its number. */
  attempts({ id }: Bead): Bead[] {
    return this.blockers(id).filter((bead) => !isControl(metadataValue(bead, WorkflowKey.kind)))
  }

  /** The members of a scope, its controls as well. */
  scopeMembers(root: string, scope: string): Bead[] {
    return this.beads.list(this.#scopeMembers.all(root, scope).map((row) => row.id))
  }

  /** The bodies of the scopes of a run. */
  scopeBodies(root: string): Bead[] {
    return this.beads.list(this.#scopeBodies.all(root).map((row) => row.id))
  }

  /** Template of later attempts at the step of a control. */
  specOf(root: string, controlRef: string): Bead | undefined {
    const row = this.#spec.get(root, `${controlRef}.spec`)
    return row ? this.beads.find(row.id) : undefined
  }

  /** True if a member of the run failed that aborts its scope and is not tried again. */
  hasAbortedScope(root: string): boolean {
    return this.#aborted.get(root) !== null
  }

  /** True if a bead waits for somebody: it is blocked, or a gate that is not open yet. */
  isWaiting(id: string): boolean {
    return this.#waiting.get(id) !== null
  }

  /** True if anything of a run has been begun. */
  hasBegun(root: string): boolean {
    return this.#begun.get(root) !== null
  }
}
