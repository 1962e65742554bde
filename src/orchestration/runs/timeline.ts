import type { CityContext } from '../../core/city-context.ts'
import { toTimestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { RecordedEvent } from '../../core/events/index.ts'
import { fillPage } from '../../http/respond/index.ts'
import { type Bead, type BeadRepository, payloadBeadOf } from '../../work/beads/index.ts'
import { WorkflowKey, WorkKey } from '../../work/metadata.ts'
import type { RunStatus } from '../schema.ts'
import { attemptNumber } from './attempt-parts.ts'
import type { RunMembers } from './members.ts'
import { metadataValue } from './node.ts'
import type { RunRepository } from './repository.ts'
import type { RunTimeline, RunTimelineQuery, RunTimelineStep, RunTimelineStepState } from './timeline-schema.ts'
import { stepStatus } from './view.ts'

/** Usage of a session in a period; times in milliseconds. */
export interface UsageOfSessions {
  ofSession(session: string, from: number, to: number): Readonly<UsageAmounts>
}

export type UsageAmounts = Pick<
  RunTimelineStep,
  'input_tokens' | 'output_tokens' | 'cache_read_tokens' | 'cache_creation_tokens' | 'cost_usd_estimate' | 'unpriced'
>

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 200
const MAX_STATES = 50
const MAX_RUN_STATES = 100

/** Outcome of every step of a run: times, sessions and cost. */
export class RunTimelines {
  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      beads: BeadRepository
      runs: RunRepository
      members: RunMembers
      usage: UsageOfSessions
    },
  ) {}

  read(id: string, { cursor, limit = 0 }: RunTimelineQuery): RunTimeline {
    const { runs, members } = this.peers
    const run = runs.get(id)
    const from = parseCursor(cursor)
    const size = Math.min(limit === 0 ? DEFAULT_LIMIT : limit, MAX_LIMIT)
    const rows = members.page(id, from, size + 1)
    const { items: steps, last } = fillPage(rows, size, (bead) => this.#step(bead, run.state))
    return {
      ...{ run_id: id, status: run.state, started_at: toTimestamp(run.startedAt), later_attempts: run.attempts },
      ...(run.errorMessage !== null && { failure: run.errorMessage }),
      states: this.#statesOf(id),
      steps,
      ...(last && { next_cursor: String(from + steps.length) }),
    }
  }

  #statesOf(id: string): RunTimeline['states'] {
    const { items } = this.context.log.about(id, { limit: MAX_RUN_STATES })
    return items.reverse().flatMap(({ type, ts: at, actor: by, payload }) => {
      if (!type.startsWith('run.')) return []
      const { status, reason }: { status?: unknown; reason?: unknown } = Object(payload)
      const named = typeof status === 'string' ? status : type.slice('run.'.length)
      return [{ status: named, at, by, ...(typeof reason === 'string' && { reason }) }]
    })
  }

  #step(bead: Bead, run: RunStatus): RunTimelineStep {
    const events = this.context.log.about(bead.id, { limit: MAX_STATES }).items.reverse()
    const states = statesOf(events, bead, run)
    const spans = workSpans(states, this.context.clock.now())
    const kind = metadataValue(bead, WorkflowKey.kind) || bead.issue_type
    const attempt = attemptNumber(bead)
    return {
      ...{ bead_id: bead.id, ...(bead.ref && { ref: bead.ref }), title: bead.title, kind },
      ...(attempt > 0 && { attempt }),
      ...{ states, sessions: [...new Set(spans.flatMap(({ session }) => session || []))] },
      seconds: spans.reduce((sum, { from, to }) => sum + Math.max(0, to - from), 0) / 1000,
      ...this.#usageOf(spans),
    }
  }

  #usageOf(spans: readonly WorkSpan[]): UsageAmounts {
    const used = spans
      .filter(({ session }) => session !== '')
      .map(({ session, from, to }) => this.peers.usage.ofSession(session, from, to))
    const sum = (key: keyof UsageAmounts) => used.reduce((total, each) => total + each[key], 0)
    return {
      ...{ input_tokens: sum('input_tokens'), output_tokens: sum('output_tokens') },
      ...{ cache_read_tokens: sum('cache_read_tokens'), cache_creation_tokens: sum('cache_creation_tokens') },
      ...{ cost_usd_estimate: sum('cost_usd_estimate'), unpriced: sum('unpriced') },
    }
  }
}

/** The states of a step by its events; one whose events are gone by retention has only the last. */
function statesOf(events: readonly RecordedEvent[], bead: Bead, run: RunStatus): RunTimelineStepState[] {
  const states: RunTimelineStepState[] = []
  for (const event of events) {
    const then = payloadBeadOf(event)
    if (!then) continue
    const state = toState(then, 'active', event.ts, event.actor)
    const last = states.at(-1)
    if (last?.status !== state.status || last.assignee !== state.assignee) states.push(state)
  }
  if (states.length > 0) return states
  return [toState(bead, run, bead.updated_at ?? bead.created_at, 'gc')]
}

function toState(bead: Bead, run: RunStatus, at: string, by: string): RunTimelineStepState {
  const status = stepStatus(bead, run)
  const session = status === 'pending' ? '' : metadataValue(bead, WorkKey.sessionId)
  return { status, at, by, ...(bead.assignee && { assignee: bead.assignee }), ...(session && { session_id: session }) }
}

/** While a session, or somebody who is none, worked on a step. */
interface WorkSpan {
  session: string
  from: number
  to: number
}

function workSpans(states: readonly RunTimelineStepState[], now: number): WorkSpan[] {
  return states.flatMap(({ status, at, session_id: session = '' }, index) => {
    if (status !== 'active') return []
    const end = states[index + 1]
    return [{ session, from: Date.parse(at), to: end ? Date.parse(end.at) : now }]
  })
}

function parseCursor(cursor = '0'): number {
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor)
  throw new AppError('invalid-request', 'cursor is not one of this list: give the next_cursor of the page before')
}
