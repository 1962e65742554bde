import { toTimestamp } from '../../core/clock.ts'
import type { FailureCount, FailureCounts } from '../lifecycle/failure-counts.ts'
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
  repository: Pick<SessionRepository, 'live'>
  launcher: Pick<Launcher, 'agent'>
  failures: Pick<FailureCounts, 'all'>
  interactions: Pick<Interactions, 'findOpen'>
  parking: Pick<Parking, 'parked'>
}

/** Everything in a city that waits for a person. */
export class Attention {
  constructor(private readonly options: AttentionOptions) {}

  /** All items, the longest waiting first. */
  async list(): Promise<AttentionList> {
    const { interactions, errors } = await this.options.interactions.findOpen()
    const items = [
      ...interactions.map(questionItem),
      ...this.#failedItems(),
      ...this.options.parking.parked().map(parkedItem),
    ]
    items.sort((a, b) => a.since.localeCompare(b.since))
    return { items, total: items.length, ...(errors.length > 0 && { partial: true, partial_errors: errors }) }
  }

  #failedItems(): AttentionItem[] {
    const { repository, failures } = this.options
    const counts = failures.all('agent')
    const failedSessions = repository.live().filter(({ state }) => FAILED_STATES.has(state))
    const failedAgents = new Set(failedSessions.map(({ template }) => template))
    const others = [...counts.values()].filter((count) => !failedAgents.has(count.subject) && this.#needsPerson(count))
    return [
      ...failedSessions.map((row) => failedSessionItem(row, counts.get(row.template))),
      ...others.map(failedAgentItem),
    ]
  }

  /** Whether a person is needed: the agent failed often or lacks a login, and has not worked since. */
  #needsPerson({ subject, deaths, reason }: FailureCount): boolean {
    if (deaths === 0 || !this.options.launcher.agent(subject)) return false
    return deaths >= MAX_FAILURES || NEEDS_LOGIN.test(reason)
  }
}

const questionItem = ({ row, pending, since, by, answers }: OpenInteraction): AttentionItem => ({
  kind: by === 'agent' ? 'permission' : 'dialog',
  agent: row.template,
  session_id: row.id,
  session_name: row.alias ?? row.sessionName,
  since: toTimestamp(since),
  asks: by === 'agent' ? (pending.prompt ?? pending.kind) : `It asks a person ${pending.prompt ?? 'something'}.`,
  request_id: pending.request_id,
  answers,
  ...(by === 'screen' && pending.options && { options: pending.options }),
})

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
  asks: failure?.reason ?? 'Its program could not be started.',
  answers: [],
})

const failedAgentItem = ({ subject, deaths, until, reason }: FailureCount): AttentionItem => ({
  kind: 'failed',
  agent: subject,
  since: toTimestamp(until - agentBackoff(deaths)),
  asks: reason,
  answers: [],
})
