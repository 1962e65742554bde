import type { AttentionSource } from '../../../core/attention.ts'
import type { CityContext } from '../../../core/city-context.ts'
import { toTimestamp } from '../../../core/clock.ts'
import { unsubscriber } from '../../../core/signal.ts'
import type { SessionRepository, SessionRow } from '../../../work/sessions/index.ts'
import type { LaunchPlanner } from '../../launch/index.ts'
import {
  agentBackoff,
  agentHold,
  type FailureCount,
  type FailureCounts,
  HELD_BY_LOGIN,
  MAX_FAILURES,
  sessionHold,
} from '../../lifecycle/index.ts'
import type { ListedItem } from '../schema.ts'

/** Failures that only a login resolves. */
const NEEDS_LOGIN = /log(?:ged)? ?in\b|authenticat|credential|api key|unauthorized/i
const FAILED_STATES: ReadonlySet<SessionRow['state']> = new Set(['failed-create', 'quarantined'])

/** Sessions that failed or are held, and agents whose starts fail or that are held. */
export class FailedAttention implements AttentionSource<ListedItem> {
  readonly name = 'failed'
  /** The sessions that had failed when the items were read last. */
  #failed: ReadonlySet<string> = new Set()

  constructor(
    private readonly context: CityContext,
    private readonly repository: Pick<SessionRepository, 'live' | 'find' | 'onChange'>,
    private readonly launchPlanner: Pick<LaunchPlanner, 'agent'>,
    private readonly failures: Pick<FailureCounts, 'all' | 'onChange'>,
  ) {}

  items(): ListedItem[] {
    const { clock } = this.context
    const { repository, failures, launchPlanner } = this
    const now = clock.now()
    const counts = failures.all('agent')
    const failed = repository.live().filter(({ state }) => FAILED_STATES.has(state))
    this.#failed = new Set(failed.map(({ id }) => id))
    const failedSessions = failed.filter(({ reason }) => !HELD_BY_LOGIN.has(reason))
    const withFailedSession = new Set(failedSessions.map(({ template }) => template))
    const failedAgents = [...counts.values()].filter((count) => {
      if (!launchPlanner.agent(count.subject)) return false
      return count.until > now || (!withFailedSession.has(count.subject) && needsPerson(count))
    })
    return [
      ...failedSessions.map((row) => sessionItem(row, counts.get(row.template))),
      ...failedAgents.map((count) => agentItem(count, now)),
    ]
  }

  onChange(listener: () => void): () => void {
    const onChange = (session: string | undefined) => {
      if (session === undefined || this.#mayHaveFailed(session)) listener()
    }
    return unsubscriber(this.repository.onChange(onChange), this.failures.onChange(listener))
  }

  /** True if a session has failed, or had when the items were read last. */
  #mayHaveFailed(session: string): boolean {
    const row = this.#failed.has(session) ? undefined : this.repository.find(session)
    return row === undefined || FAILED_STATES.has(row.state)
  }
}

/** True if a person is needed: an agent failed often or lacks a login, and has not worked since. */
const needsPerson = ({ deaths, reason }: FailureCount): boolean =>
  deaths >= MAX_FAILURES || (deaths > 0 && NEEDS_LOGIN.test(reason))

const sessionItem = (row: SessionRow, failure: FailureCount | undefined): ListedItem => ({
  id: `failed-session:${row.id}`,
  kind: 'failed',
  agent: row.template,
  session_id: row.id,
  session_name: row.alias ?? row.sessionName,
  session_state: row.state,
  since: toTimestamp(row.sleptAt ?? row.activeAt ?? row.createdAt),
  ...(row.quarantinedUntil !== null && { until: toTimestamp(row.quarantinedUntil) }),
  asks: [sessionHold(row), failure?.reason].filter(Boolean).join(': ') || 'Its program could not be started.',
  to_do: row.state === 'failed-create' ? `fix the cause, then gc session close ${row.id}` : `gc session wake ${row.id}`,
})

const agentItem = (failure: FailureCount, now: number): ListedItem => ({
  id: `failed-agent:${failure.subject}`,
  kind: 'failed',
  agent: failure.subject,
  since: toTimestamp(heldSince(failure)),
  ...(failure.until > now && { until: toTimestamp(failure.until) }),
  asks: agentHold(failure, now) ?? failure.reason,
  to_do: `fix the cause, then gc agent resume ${failure.subject}`,
})

const heldSince = ({ deaths, until }: FailureCount): number => until - agentBackoff(deaths)
