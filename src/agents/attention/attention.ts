import { type Clock, toTimestamp } from '../../core/clock.ts'
import type { ProcessSummary } from '../../host/process/process-ender.ts'
import type { DetachedProcesses } from '../detached/detached-processes.ts'
import type { FailureCount, FailureCounts } from '../lifecycle/failure-counts.ts'
import { agentHold, sessionHold } from '../lifecycle/holds.ts'
import type { Launcher } from '../lifecycle/launcher.ts'
import { agentBackoff, MAX_FAILURES } from '../lifecycle/limits.ts'
import type { Parking } from '../lifecycle/parking.ts'
import type { Interactions, OpenInteraction } from '../messaging/interactions.ts'
import type { SessionRepository } from '../sessions/repository.ts'
import type { SessionRow } from '../sessions/table.ts'
import type { AttentionItem, AttentionList } from './schema.ts'

/** Failures that only a login resolves. */
const NEEDS_LOGIN = /log(?:ged)? ?in\b|authenticat|credential|api key|unauthorized/i
const FAILED_STATES: ReadonlySet<string> = new Set(['failed-create', 'quarantined'])

interface AttentionOptions {
  clock: Clock
  repository: Pick<SessionRepository, 'live' | 'find'>
  launcher: Pick<Launcher, 'agent'>
  failures: Pick<FailureCounts, 'all'>
  interactions: Pick<Interactions, 'findOpen'>
  parking: Pick<Parking, 'parked'>
  detached: Pick<DetachedProcesses, 'remembered'>
  /** Why the city takes no more writes, and since when. */
  storeHealth: { readonly problem: { reason: string; at: number } | undefined }
}

/** Everything in a city that waits for a person. */
export class Attention {
  constructor(private readonly options: AttentionOptions) {}

  /** All items, the longest waiting first. */
  async list(): Promise<AttentionList> {
    const { interactions, errors } = await this.options.interactions.findOpen()
    const items = [
      ...this.#storeItems(),
      ...interactions.map(questionItem),
      ...this.#failedItems(),
      ...this.options.parking.parked().map(parkedItem),
      ...this.#detachedItems(),
    ]
    items.sort((a, b) => a.since.localeCompare(b.since))
    return { items, total: items.length, ...(errors.length > 0 && { partial: true, partial_errors: errors }) }
  }

  #detachedItems(): AttentionItem[] {
    const { detached, repository } = this.options
    return [...detached.remembered()].map(([session, { since, processes }]) => {
      const row = repository.find(session)
      return {
        kind: 'detached',
        agent: row?.template ?? '',
        session_id: session,
        ...(row && { session_name: row.alias ?? row.sessionName }),
        since: toTimestamp(since),
        asks: describeDetached(processes),
        answers: [],
      }
    })
  }

  #storeItems(): AttentionItem[] {
    const { problem } = this.options.storeHealth
    return problem
      ? [{ kind: 'store', agent: '', since: toTimestamp(problem.at), asks: problem.reason, answers: [] }]
      : []
  }

  #failedItems(): AttentionItem[] {
    const { repository, failures, clock } = this.options
    const now = clock.now()
    const counts = failures.all('agent')
    const failedSessions = repository
      .live()
      .filter(({ state, reason }) => FAILED_STATES.has(state) && reason !== 'rate_limit')
    const withFailedSession = new Set(failedSessions.map(({ template }) => template))
    const failedAgents = [...counts.values()].filter((count) => {
      if (!this.options.launcher.agent(count.subject)) return false
      return count.until > now || (!withFailedSession.has(count.subject) && needsPerson(count))
    })
    return [
      ...failedSessions.map((row) => failedSessionItem(row, counts.get(row.template))),
      ...failedAgents.map((count) => failedAgentItem(count, now)),
    ]
  }
}

/** Whether a person is needed: an agent failed often or lacks a login, and has not worked since. */
const needsPerson = ({ deaths, reason }: FailureCount): boolean =>
  deaths >= MAX_FAILURES || (deaths > 0 && NEEDS_LOGIN.test(reason))

const questionItem = ({ row, question, by, answers }: OpenInteraction): AttentionItem => ({
  kind: by === 'agent' ? 'permission' : 'dialog',
  agent: row.template,
  session_id: row.id,
  session_name: row.alias ?? row.sessionName,
  since: question.since,
  asks: question.prompt,
  request_id: question.id,
  answers,
  ...(by === 'screen' && question.options.length > 0 && { options: question.options.map(({ label }) => label) }),
})

/** How many processes a sentence names. */
const NAMED = 5

function describeDetached(processes: readonly ProcessSummary[]): string {
  const named = processes.slice(0, NAMED).map(({ pid, command }) => `${pid} (${command})`)
  const more = processes.length > NAMED ? ` and ${processes.length - NAMED} more` : ''
  return `Its session ended, and ${named.join(', ')}${more} still ${processes.length === 1 ? 'runs' : 'run'}.`
}

const parkedItem = ({ bead, agent, since, reason }: ReturnType<Parking['parked']>[number]): AttentionItem => ({
  kind: 'parked',
  agent,
  bead_id: bead.id,
  since,
  asks: `Bead ${bead.id} (${bead.title}) is not offered any more: ${reason}`,
  answers: [],
})

const failedSessionItem = (row: SessionRow, failure: FailureCount | undefined): AttentionItem => ({
  kind: 'failed',
  agent: row.template,
  session_id: row.id,
  session_name: row.alias ?? row.sessionName,
  session_state: row.state,
  since: toTimestamp(row.sleptAt ?? row.activeAt ?? row.createdAt),
  ...(row.quarantinedUntil !== null && { until: toTimestamp(row.quarantinedUntil) }),
  asks: [sessionHold(row), failure?.reason].filter(Boolean).join(': ') || 'Its program could not be started.',
  answers: [],
})

const failedAgentItem = (failure: FailureCount, now: number): AttentionItem => ({
  kind: 'failed',
  agent: failure.subject,
  since: toTimestamp(heldSince(failure)),
  ...(failure.until > now && { until: toTimestamp(failure.until) }),
  asks: agentHold(failure, now) ?? failure.reason,
  answers: [],
})

const heldSince = ({ deaths, until }: FailureCount): number => until - agentBackoff(deaths)
