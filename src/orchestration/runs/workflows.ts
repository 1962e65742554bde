import type { CityContext } from '../../core/city-context.ts'
import { AppError } from '../../core/errors.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import { JsonRows, responseTooLarge } from '../../http/respond/index.ts'
import { type Bead, type BeadRepository, type CityScope, EdgesAmong } from '../../work/beads/index.ts'
import { ResultKey, WorkKey } from '../../work/metadata.ts'
import type { RunMembers } from './members.ts'
import { isWorkflowRoot, LEFTOVER_REASON, toNode } from './node.ts'
import type { RunRepository } from './repository.ts'
import type { ScopeQuery, WorkflowDeleteQuery, WorkflowDeleteResponse, WorkflowSnapshotResponse } from './schema.ts'

/** Maximum beads that one write closes or removes. */
const SLICE = 100
const SKIPPED = { [ResultKey.outcome]: 'skipped', [WorkKey.closeReason]: LEFTOVER_REASON }

/** Graphs of runs, bead by bead. */
export class Workflows {
  constructor(
    private readonly context: CityContext,
    private readonly options: {
      /** The city's name. */
      city: string
      config: CityScope
      beads: BeadRepository
      runs: RunRepository
      members: RunMembers
    },
  ) {}

  snapshot(id: string, { scope_kind, scope_ref }: ScopeQuery): JsonRows<WorkflowSnapshotResponse> {
    if ((scope_kind === undefined) !== (scope_ref === undefined)) {
      throw new AppError('invalid-request', 'scope_kind and scope_ref must be provided together')
    }
    const { log } = this.context
    const { members } = this.options
    const root = this.#find(id, scope_kind, scope_ref)
    const ids = [root.id, ...[...members.of(root.id)].map((bead) => bead.id)]
    const edges = new EdgesAmong(ids)
    function* rows() {
      yield JSON.stringify(toNode(root))
      for (const bead of members.of(root.id)) {
        edges.add(bead)
        yield JSON.stringify(toNode(bead))
      }
    }
    const head = JSON.stringify(this.#head(root)).slice(0, -1)
    return new JsonRows({
      head: `${head},"beads":[`,
      rows: rows(),
      tail: (isComplete) => {
        if (!isComplete) throw responseTooLarge(`workflow ${id}`, `read it page by page at beads/graph/${id}/beads`)
        const empty = '"logical_nodes":[],"logical_edges":[],"scope_groups":[],"partial":false'
        const seq = `"snapshot_version":${log.head},"snapshot_event_seq":${log.head}`
        return `],"deps":${JSON.stringify(edges.list())},${empty},${seq}}`
      },
    })
  }

  /** Closes what is open of a workflow as skipped; with `delete`, removes it. */
  async delete(caller: Caller, id: string, query: WorkflowDeleteQuery): Promise<WorkflowDeleteResponse> {
    const { store } = this.context
    const { beads, members } = this.options
    const root = this.#find(id, query.scope_kind, query.scope_ref)
    const all = [...[...members.of(root.id)].map((bead) => bead.id), root.id]
    const open = beads.list(all).filter(({ status }) => status !== 'closed')
    for (const slice of slices(open)) {
      await store.write((tx) => {
        for (const bead of slice) beads.closeWith(tx, bead.id, SKIPPED)
      }, actorOf(caller))
    }
    const removed = query.delete === true ? all : []
    for (const slice of slices(removed)) {
      await store.write((tx) => {
        for (const each of slice) if (beads.find(each)) beads.remove(tx, each)
      }, actorOf(caller))
    }
    return { workflow_id: id, closed: open.length, deleted: removed.length }
  }

  #find(id: string, kind: string | undefined, ref: string | undefined): Bead {
    const bead = this.options.beads.find(id)
    const scope = bead && this.#scopeOf(bead)
    const fits = (kind === undefined || kind === scope?.kind) && (ref === undefined || ref === scope?.ref)
    if (bead && isWorkflowRoot(bead) && fits) return bead
    throw new AppError('workflow-not-found', `workflow ${id} not found`)
  }

  #head(root: Bead) {
    const { city, config, beads } = this.options
    const rig = beads.rigOf(root.id)
    const store = rig === '' ? `city:${city}` : `rig:${rig}`
    const { kind, ref } = this.#scopeOf(root)
    return {
      workflow_id: root.id,
      root_bead_id: root.id,
      root_store_ref: store,
      resolved_root_store: store,
      scope_kind: kind,
      scope_ref: ref,
      stores_scanned: [`city:${city}`, ...config.current.rigs.map(({ name }) => `rig:${name}`)],
    }
  }

  #scopeOf(root: Bead): { kind: string; ref: string } {
    const { runs, beads, city } = this.options
    const run = runs.find(root.id)
    if (run && run.scopeKind !== '') return { kind: run.scopeKind, ref: run.scopeRef }
    const rig = beads.rigOf(root.id)
    return rig === '' ? { kind: 'city', ref: city } : { kind: 'rig', ref: rig }
  }
}

function* slices<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += SLICE) yield items.slice(from, from + SLICE)
}
