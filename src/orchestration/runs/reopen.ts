import type { CityConfig } from '../../config/city-config.ts'
import type { Tx } from '../../core/store.ts'
import type { BeadChange } from '../../work/beads/draft.ts'
import type { BeadRepository } from '../../work/beads/repository.ts'
import type { Bead } from '../../work/beads/schema.ts'
import { EngineKey, ResultKey, WorkflowKey, WorkKey } from '../../work/metadata.ts'
import { assigneeOf } from '../routing/target.ts'
import { attemptNumber, hasAttempts } from './attempt-parts.ts'
import { QUARANTINED_LABEL } from './attention.ts'
import { metadataValue } from './node.ts'
import type { RunGraph } from './run-graph.ts'

interface ReopenOptions {
  beads: BeadRepository
  graph: RunGraph
  config: { readonly current: CityConfig }
}

/** What a bead says of how it ended. */
const ENDING: readonly string[] = [
  ...[ResultKey.outcome, ResultKey.failureClass, ResultKey.failureReason, ResultKey.outputJson, WorkKey.closeReason],
  ...[EngineKey.failedAttempt, EngineKey.finalDisposition, EngineKey.cancelRequested, EngineKey.paused],
  ...[EngineKey.quarantined, EngineKey.quarantinedAt, EngineKey.quarantineReason],
  ...[EngineKey.controllerError, EngineKey.controllerErrorClass],
]

/** Opens a bead of a run again as if it had not been done; `made` by it were the items of a control that begins anew. */
export function reopenBead(options: ReopenOptions, tx: Tx, bead: Bead, made: readonly string[] | undefined): void {
  const { beads } = options
  const ending = ENDING.filter((key) => bead.metadata?.[key] !== undefined).map((key) => [key, null] as const)
  const isRoot = metadataValue(bead, WorkflowKey.kind) === 'workflow'
  const { metadata, assignee } = routeOf(options, bead)
  beads.change(tx, bead.id, {
    ...{ status: isRoot ? 'in_progress' : 'open', assignee, removeLabels: [QUARANTINED_LABEL] },
    metadata: { ...Object.fromEntries(ending), ...metadata, ...anew(options, bead, made) },
  })
  if (made) beads.undepend(tx, bead.id, made)
}

/** Any session of a pool may take the step; that of an agent with one session has it again. */
function routeOf({ config }: ReopenOptions, bead: Bead): Pick<BeadChange, 'metadata' | 'assignee'> {
  const route = metadataValue(bead, WorkKey.routedTo)
  const agent = config.current.agents.find(({ qualified }) => qualified === route)
  if (!agent || metadataValue(bead, WorkflowKey.kind) === 'workflow') return {}
  const assignee = assigneeOf(config.current, { agent })
  return { assignee: assignee ?? '', metadata: { [WorkKey.sessionId]: null, [WorkKey.sessionName]: assignee ?? null } }
}

type MetadataChange = Record<string, string | null>

/** From where a control counts its attempts or items. */
function anew({ graph }: ReopenOptions, bead: Bead, made: readonly string[] | undefined): MetadataChange {
  if (metadataValue(bead, WorkflowKey.kind) === 'drain') {
    // With its manifest it runs its formula again for those members alone for which that failed.
    return { [EngineKey.drainState]: 'pending', ...(made && { [EngineKey.drainManifest]: null }) }
  }
  if (made) {
    const before = Number(metadataValue(bead, EngineKey.restartedAfter) || '0')
    const count = Number(metadataValue(bead, EngineKey.spawnedCount) || '0')
    const none = { [EngineKey.fanoutState]: '', [EngineKey.spawnedCount]: '0' }
    return { ...none, [EngineKey.restartedAfter]: String(before + count) }
  }
  if (!hasAttempts(bead)) return {}
  const last = Math.max(0, ...graph.blockers(bead.id).map(attemptNumber))
  return { [EngineKey.restartedAfter]: String(last) }
}
