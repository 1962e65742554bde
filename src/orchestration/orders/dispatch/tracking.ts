import type { CityContext } from '../../../core/city-context.ts'
import type { Tx } from '../../../core/store/index.ts'
import type { BeadRepository } from '../../../work/beads/index.ts'
import { OrderKey, WorkKey } from '../../../work/metadata.ts'
import { OrderCompleted, OrderFailed, OrderFired } from '../../events.ts'
import type { Order } from '../order.ts'
import { type OutcomeLabel, RUN_LABEL, TRACKING_LABEL } from './labels.ts'
import type { OrderOutput, OrderRunEnd, OrderRunRow, OrderRuns } from './order-runs.ts'
import type { OrderCause } from './request.ts'
import type { TriggerStates } from './trigger-states.ts'

/** A run to begin. */
export interface RunDraft {
  order: Order
  vars: Readonly<Record<string, string>>
  cause: OrderCause
  /** The hash of the token of its process; null for a formula. */
  tokenHash: string | null
}

/** Outcome of a run, and the update of its tracking bead. */
export interface TrackingEnd extends OrderRunEnd {
  labels: readonly OutcomeLabel[]
  output?: Omit<OrderOutput, 'trackingId'> | undefined
}

const CLOSE_REASON = 'order dispatch completed: tracking bead lifecycle finished'
/** So many characters of each stream are in the metadata of a tracking bead; its row has more. */
const MAX_METADATA = 2_000

/** Begins and ends the runs of orders: each with its bead, its row and its events in one write. */
export class Tracking {
  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      beadRepository: BeadRepository
      runs: OrderRuns
      states: TriggerStates
      onBegun(begun: Pick<OrderRunRow, 'trackingId' | 'kind' | 'cause'>): void
      onEnded(run: OrderRunRow): void
    },
  ) {}

  /** Begins a run; what its trigger waits for begins again. */
  begin(tx: Tx, { order, vars, cause, tokenHash }: RunDraft): string {
    const { clock, log } = this.context
    const { beadRepository: beads, runs, states } = this.peers
    const { scopedName, rig = '', action, timeout } = order
    const now = clock.now()
    const bead = beads.add(tx, {
      ...{ title: `order:${scopedName}`, rig, noHistory: true },
      labels: [`${RUN_LABEL}${scopedName}`, TRACKING_LABEL],
    })
    const seq = order.trigger.kind === 'event' ? (states.find(scopedName)?.newest ?? null) : null
    const run = { trackingId: bead.id, scopedName, rig, kind: action.kind, cause, vars, seq, tokenHash }
    runs.add(tx, { ...run, createdAt: now, timeoutMs: timeout })
    states.setRun(tx, scopedName, now)
    states.cover(tx, scopedName)
    log.append(tx, OrderFired, { subject: scopedName }, {})
    tx.after(() => this.peers.onBegun(run))
    return bead.id
  }

  /** Ends a run; one that is over stays unchanged. */
  end(tx: Tx, { trackingId }: Pick<OrderRunRow, 'trackingId'>, { labels, output, ...end }: TrackingEnd): void {
    const { log } = this.context
    const { beadRepository: beads, runs } = this.peers
    const run = runs.find(trackingId)
    if (!run || run.state === 'done') return
    runs.end(tx, trackingId, end, output)
    if (beads.find(trackingId)?.status === 'open') {
      const metadata = { [WorkKey.closeReason]: CLOSE_REASON, ...(output && resultMetadata(end, output)) }
      beads.change(tx, trackingId, { status: 'closed', labels, metadata })
    }
    if (end.outcome === 'success') log.append(tx, OrderCompleted, { subject: run.scopedName }, {})
    else log.append(tx, OrderFailed, { subject: run.scopedName, message: end.error ?? 'it was canceled' }, {})
    tx.after(() => this.peers.onEnded({ ...run, ...end, state: 'done' }))
  }
}

function resultMetadata(
  { startedAt, endedAt, exitCode }: OrderRunEnd,
  { stdout, stderr, truncated }: Omit<OrderOutput, 'trackingId'>,
): Record<string, string> {
  const isCut = truncated || stdout.length > MAX_METADATA || stderr.length > MAX_METADATA
  return {
    [OrderKey.stdout]: stdout.slice(-MAX_METADATA),
    [OrderKey.stderr]: stderr.slice(-MAX_METADATA),
    ...(exitCode != null && { [OrderKey.exitCode]: String(exitCode) }),
    ...(startedAt != null && endedAt !== null && { [OrderKey.durationMs]: String(Math.max(0, endedAt - startedAt)) }),
    [OrderKey.truncated]: String(isCut),
  }
}
