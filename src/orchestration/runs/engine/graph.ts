import { query, type Store, stablePlan } from '../../../core/store/index.ts'
import { type Bead, type BeadRepository, isControl } from '../../../work/beads/index.ts'
import { EngineKey, ResultKey, WorkflowKey } from '../../../work/metadata.ts'
import { metadataValue } from '../node.ts'

interface IdRow {
  id: string
}

const UNBLOCKED = "workable = 0 AND status = 'open' AND blockers = 0"

const BLOCKING = `SELECT b.id FROM bead_edges e CROSS JOIN beads b ON b.id = e.depends_on_id
       WHERE e.issue_id = ?1 AND e.gating = 1`

const RELEASED = query<IdRow, [string]>(
  stablePlan(`SELECT b.id FROM bead_edges e CROSS JOIN beads b ON b.id = e.issue_id
       WHERE e.depends_on_id = ? AND e.gating = 1 AND (b.workable = 0 OR b.type = 'epic')
         AND b.status = 'open' AND b.blockers = 0 GROUP BY b.n ORDER BY b.n`),
)

const CONTROLS = query<IdRow, [string]>(
  stablePlan(`SELECT id FROM beads WHERE root_id = ? AND root_id IS NOT NULL AND ${UNBLOCKED} ORDER BY n`),
)

const BLOCKERS = query<IdRow, [string]>('SELECT depends_on_id AS id FROM bead_edges WHERE issue_id = ? AND gating = 1')

const FAILED_BLOCKER = query<IdRow, [string, string]>(
  stablePlan(`${BLOCKING} AND b.id != ?2 AND b.metadata ->> '$."${ResultKey.outcome}"' = 'fail' LIMIT 1`),
)

const WRITTEN_BLOCKER = query<IdRow, [string]>(
  stablePlan(`${BLOCKING} AND b.metadata ->> '$."${EngineKey.dynamicFragment}"' IS NOT 'true' LIMIT 1`),
)

const WAITS_FOR_MORE = query<{ more: number }, [string, string]>(
  stablePlan(`SELECT blockers > EXISTS (${BLOCKING} AND b.id = ?2 AND b.status != 'closed') AS more
       FROM beads WHERE id = ?1`),
)

const OPEN_PARTS = query<IdRow, [string, string, string, number]>(
  stablePlan(`SELECT id FROM beads
       WHERE root_id = ?1 AND root_id IS NOT NULL AND scope_ref = ?2 AND scope_ref IS NOT NULL AND status != 'closed'
         AND id != ?3 AND type != 'spec'
         AND coalesce(metadata ->> '$."${EngineKey.scopeRole}"', '') IN ('member', 'control', '') LIMIT ?4`),
)

const SCOPE_MEMBERS = query<IdRow, [string, string]>(
  stablePlan(`SELECT id FROM beads
       WHERE root_id = ? AND root_id IS NOT NULL AND scope_ref = ? AND scope_ref IS NOT NULL`),
)

const SCOPE_BODIES = query<IdRow, [string]>(
  stablePlan(`SELECT id FROM beads WHERE root_id = ? AND metadata ->> '$."${WorkflowKey.kind}"' = 'scope'`),
)

const SPEC = query<IdRow, [string, string]>(
  stablePlan("SELECT id FROM beads WHERE root_id = ? AND root_id IS NOT NULL AND type = 'spec' AND ref = ?"),
)

const ABORTED = query<IdRow, [string]>(
  stablePlan(`SELECT id FROM beads
       WHERE root_id = ? AND root_id IS NOT NULL AND scope_ref IS NOT NULL AND status = 'closed'
         AND metadata ->> '$."${EngineKey.onFail}"' = 'abort_scope' AND metadata ->> '$."${ResultKey.outcome}"' = 'fail'
         AND metadata ->> '$."${WorkflowKey.attempt}"' IS NULL LIMIT 1`),
)

const WAITING = query<IdRow, [string]>(
  "SELECT id FROM beads WHERE id = ? AND (status = 'blocked' OR (status = 'open' AND blockers = 0 AND " +
    `(type = 'gate' OR metadata ->> '$."${WorkflowKey.kind}"' = 'failure-guard')))`,
)

const BEGUN = query<IdRow, [string]>(
  stablePlan("SELECT id FROM beads WHERE root_id = ? AND status IN ('in_progress', 'closed') LIMIT 1"),
)

/** Reads the graphs of runs, from indexes: no question costs more because there were other runs. */
export class Graph {
  constructor(
    private readonly store: Store,
    private readonly beads: BeadRepository,
  ) {}

  /** Unblocked beads after this one that are not work for agents: controls, gates and parents. */
  released(id: string): string[] {
    return this.store.all(RELEASED, id).map((row) => row.id)
  }

  /** The controls of a run that wait for nothing. */
  controls(root: string): string[] {
    return this.store.all(CONTROLS, root).map((row) => row.id)
  }

  /** Former blockers of a bead, oldest first. */
  blockers(id: string): Bead[] {
    return this.beads.list(this.store.all(BLOCKERS, id).map((row) => row.id))
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
    return this.store.get(WAITS_FOR_MORE, id, besides)?.more === 1
  }

  /** True if something that a bead waited for failed, besides another. */
  hasFailedBlocker(id: string, besides = ''): boolean {
    return this.store.get(FAILED_BLOCKER, id, besides) !== null
  }

  /** Blocker of a control among the parts of its formula, without its own items. */
  writtenBlocker(id: string): Bead | undefined {
    const row = this.store.get(WRITTEN_BLOCKER, id)
    return row ? this.beads.find(row.id) : undefined
  }

  /** True if anything of a scope is open besides one: teardown, which comes after it, does not count. */
  hasOpenPart(root: string, scope: string, besides: string): boolean {
    return this.store.get(OPEN_PARTS, root, scope, besides, 1) !== null
  }

  /** Open parts of a scope besides one. */
  openParts(root: string, scope: string, besides: string): Bead[] {
    return this.beads.list(this.store.all(OPEN_PARTS, root, scope, besides, -1).map((row) => row.id))
  }

  /** The attempts that a control waited for; not what its step needs, which may be of a round and have its number. */
  attempts({ id }: Bead): Bead[] {
    return this.blockers(id).filter((bead) => !isControl(metadataValue(bead, WorkflowKey.kind)))
  }

  /** The members of a scope, its controls as well. */
  scopeMembers(root: string, scope: string): Bead[] {
    return this.beads.list(this.store.all(SCOPE_MEMBERS, root, scope).map((row) => row.id))
  }

  /** The bodies of the scopes of a run. */
  scopeBodies(root: string): Bead[] {
    return this.beads.list(this.store.all(SCOPE_BODIES, root).map((row) => row.id))
  }

  /** Template of later attempts at the step of a control. */
  specOf(root: string, controlRef: string): Bead | undefined {
    const row = this.store.get(SPEC, root, `${controlRef}.spec`)
    return row ? this.beads.find(row.id) : undefined
  }

  /** True if a member of the run failed that aborts its scope and is not tried again. */
  hasAbortedScope(root: string): boolean {
    return this.store.get(ABORTED, root) !== null
  }

  /** True if a bead waits for somebody: it is blocked, or a gate that is not open yet. */
  isWaiting(id: string): boolean {
    return this.store.get(WAITING, id) !== null
  }

  /** True if anything of a run has been begun. */
  hasBegun(root: string): boolean {
    return this.store.get(BEGUN, root) !== null
  }
}
