import { toTimestamp } from '../../core/clock.ts'
import type { FailureCount, FailureCounts } from '../lifecycle/failure-counts.ts'
import type { Launcher } from '../lifecycle/launcher.ts'
import { agentBackoff, MAX_FAILURES } from '../lifecycle/limits.ts'
import type { Parking } from '../lifecycle/parking.ts'
import type { Interactions, OpenInteraction } from '../messaging/interactions.ts'
import type { SessionRepository } from '../sessions/repository.ts'
import type { SessionRow } from '../sessions/table.ts'
import type { AttentionItem, AttentionList } from './schema.ts'

/** Reasons that time does not mend. */
const LOGIN = /log(?:ged)? ?in\b|authenticat|credential|api key|unauthorized/i
const STUCK: ReadonlySet<string> = new Set(['failed-create', 'quarantined'])

interface AttentionOptions {
  repository: Pick<SessionRepository, 'live'>
  launcher: Pick<Launcher, 'agent'>
  failures: Pick<FailureCounts, 'all'>
  interactions: Pick<Interactions, 'findOpen'>
  parking: Pick<Parking, 'parked'>
}

/** What waits for a person, wherever in a city it comes up. */
export class Attention {
  constructor(private readonly options: AttentionOptions) {}

  /** Everything that waits, the longest first. */
  async list(): Promise<AttentionList> {
    const { interactions, errors } = await this.options.interactions.findOpen()
    const items = [...interactions.map(question), ...this.#failed(), ...this.options.parking.parked().map(parked)]
    items.sort((a, b) => a.since.localeCompare(b.since))
    return { items, total: items.length, ...(errors.length > 0 && { partial: true, partial_errors: errors }) }
  }

  #failed(): AttentionItem[] {
    const { repository, failures } = this.options
    const known = failures.all('agent')
    const stuck = repository.live().filter(({ state }) => STUCK.has(state))
    const named = new Set(stuck.map(({ template }) => template))
    const others = [...known.values()].filter((trouble) => !named.has(trouble.subject) && this.#lasts(trouble))
    return [...stuck.map((row) => sessionFailed(row, known.get(row.template))), ...others.map(agentFailed)]
  }

  /** Whether a person has to look: it failed often, or for want of a login, and has not worked since. */
  #lasts({ subject, deaths, reason }: FailureCount): boolean {
    if (deaths === 0 || !this.options.launcher.agent(subject)) return false
    return deaths >= MAX_FAILURES || LOGIN.test(reason)
  }
}

const question = ({ row, pending, since, by, answers }: OpenInteraction): AttentionItem => ({
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

const parked = ({ bead, agent, since, reason }: ReturnType<Parking['parked']>[number]): AttentionItem => ({
  kind: 'parked',
  agent,
  bead_id: bead.id,
  since,
  asks: `Bead ${bead.id} (${bead.title}) is not offered any more: ${reason}`,
  answers: [],
})

const sessionFailed = (row: SessionRow, trouble: FailureCount | undefined): AttentionItem => ({
  kind: 'failed',
  agent: row.template,
  session_id: row.id,
  session_name: row.alias ?? row.sessionName,
  session_state: row.state,
  since: toTimestamp(row.sleptAt ?? row.activeAt ?? row.createdAt),
  asks: trouble?.reason ?? 'Its program could not be started.',
  answers: [],
})

const agentFailed = ({ subject, deaths, until, reason }: FailureCount): AttentionItem => ({
  kind: 'failed',
  agent: subject,
  since: toTimestamp(until - agentBackoff(deaths)),
  asks: reason,
  answers: [],
})
