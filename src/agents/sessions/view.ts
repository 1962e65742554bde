import { effectiveOptions, type Provider } from '../../config/providers/index.ts'
import { toSecond } from '../../core/clock.ts'
import type { LogStatus } from '../../programs/log-status.ts'
import {
  isRunning,
  type SessionRepository,
  type SessionResponse,
  type SessionRow,
  type Workload,
  wireState,
  workNamesOf,
} from '../../work/sessions/index.ts'
import type { LastOutputs, SessionActivity } from '../conversations/index.ts'
import type { LaunchPlanner } from '../launch/index.ts'

interface SessionViewOptions {
  repository: Pick<SessionRepository, 'titlesOf'>
  launchPlanner: LaunchPlanner
  workload: Workload
  activity: SessionActivity
  lastOutputs: Pick<LastOutputs, 'reasonOf'>
  logs: { status(session: string): LogStatus | undefined }
}

/** State that all sessions of a list share, read once. */
interface Shared {
  readonly titles: ReadonlyMap<string, string>
  activeBead(names: readonly string[]): string | undefined
}

/** All that a session shows besides its row: as long as it stays, so does the text. */
type Seen = readonly unknown[]

/** Shows sessions as clients see them. */
export class SessionView {
  readonly #texts = new WeakMap<SessionRow, { seen: Seen; text: string }>()

  constructor(private readonly options: SessionViewOptions) {}

  show(row: SessionRow, more: { lastOutput?: string | undefined } = {}): SessionResponse {
    const activeBead = (names: readonly string[]) => this.options.workload.activeBead(names)
    return this.#show(row, more, { titles: this.options.repository.titlesOf([row.id]), activeBead })
  }

  /** The same for these sessions, and as JSON; what they have in common is read once. */
  of(rows: readonly SessionRow[]): { show: SessionView['show']; text(row: SessionRow): string } {
    const { repository, workload, launchPlanner } = this.options
    const titles = repository.titlesOf(rows.map(({ id }) => id))
    const active = workload.activeBeads()
    const shared = { titles, activeBead: (names: readonly string[]) => active.of(names) }
    const { config, accounts } = launchPlanner.declarations
    return {
      show: (row, more = {}) => this.#show(row, more, shared),
      text: (row) => this.#text(row, [config, accounts, ...this.#seen(row, shared)], shared),
    }
  }

  /** The JSON of a session; a row that others share keeps it. */
  #text(row: SessionRow, seen: Seen, shared: Shared): string {
    const known = this.#texts.get(row)
    if (known?.seen.every((value, index) => value === seen[index])) return known.text
    const text = JSON.stringify(this.#show(row, {}, shared))
    this.#texts.set(row, { seen, text })
    return text
  }

  #seen(row: SessionRow, { titles, activeBead }: Shared): Seen {
    const { activity } = this.options
    const title = titles.get(row.id)
    const lastOutput = activity.lastOutput(row.id)
    if (!isRunning(row)) return [title, lastOutput, activity.isAttached(row.id), this.#endReason(row)]
    const { activity: turn, model, contextPct, contextWindow } = this.options.logs.status(row.id) ?? {}
    const bead = activeBead(workNamesOf(row))
    return [title, lastOutput, activity.isAttached(row.id), bead, turn, model, contextPct, contextWindow]
  }

  #show(row: SessionRow, { lastOutput }: { lastOutput?: string | undefined }, shared: Shared): SessionResponse {
    const running = isRunning(row)
    const closed = row.state === 'closed'
    const agent = this.options.launchPlanner.agent(row.template)
    return {
      id: row.id,
      kind: row.kind,
      template: row.template,
      state: wireState(row),
      ...(row.reason && !closed && { reason: row.reason }),
      title: shared.titles.get(row.id) ?? '',
      ...(row.alias !== null && { alias: row.alias }),
      provider: row.provider,
      ...this.#provider(row),
      session_name: row.sessionName,
      work_dir: row.workDir,
      created_at: toSecond(row.createdAt),
      ...this.#timestamps(row),
      attached: this.options.activity.isAttached(row.id),
      running,
      ...(row.rig && { rig: row.rig }),
      ...(agent && agent.maxActive !== 1 && { pool: row.template }),
      ...(row.kind === 'agent' && { agent_kind: kindOf(row, agent?.maxActive) }),
      ...(running && toActiveBead(shared.activeBead(workNamesOf(row)))),
      ...(running && toLogFields(this.options.logs.status(row.id))),
      ...(lastOutput !== undefined && { last_output: lastOutput }),
      ...(row.named !== null && { configured_named_session: true }),
      ...this.#metadata(row),
    }
  }

  #timestamps(row: SessionRow) {
    const active = Math.max(this.options.activity.lastOutput(row.id) ?? 0, row.activeAt ?? 0)
    return {
      ...(active > 0 && { last_active: toSecond(active) }),
      ...(row.nudgedAt !== null && { last_nudge_delivered_at: toSecond(row.nudgedAt) }),
    }
  }

  #provider(row: SessionRow): Pick<SessionResponse, 'display_name' | 'submission_capabilities' | 'options'> {
    const capabilities = {
      supports_follow_up:
        (valueOrUndefined(() => this.options.launchPlanner.transport(row)) ?? 'terminal') === 'terminal',
      supports_interrupt_now: row.provider !== 'antigravity',
    }
    const provider = this.#findProvider(row)
    if (!provider) return { submission_capabilities: capabilities }
    const agent = this.options.launchPlanner.agent(row.template)
    return {
      display_name: provider.displayName ?? provider.name,
      submission_capabilities: capabilities,
      options: valueOrUndefined(() => effectiveOptions(provider, agent?.optionDefaults, row.options)) ?? row.options,
    }
  }

  #findProvider(row: SessionRow): Provider | undefined {
    const agent = row.kind === 'agent' ? this.options.launchPlanner.agent(row.template) : undefined
    if (agent?.startCommand !== undefined) return undefined
    return valueOrUndefined(() => this.options.launchPlanner.provider(row.provider))
  }

  /** Reason a session is closed, and how its last run ended; undefined while it runs, or when neither is known. */
  #endReason(row: SessionRow): string | undefined {
    if (isRunning(row)) return undefined
    const why = this.options.lastOutputs.reasonOf(row.id)
    const closed = row.state === 'closed' ? row.reason : ''
    return [closed, why].filter(Boolean).join('; ') || undefined
  }

  #metadata(row: SessionRow): { metadata?: Record<string, string> } {
    const overrides = { ...row.options, ...(row.firstMessage !== null && { initial_message: row.firstMessage }) }
    const metadata: Record<string, string> = {}
    const why = this.#endReason(row)
    if (why !== undefined) metadata.end_reason = why
    if (row.project !== null) metadata.real_world_app_project_id = row.project
    if (Object.keys(overrides).length > 0) metadata.template_overrides = JSON.stringify(overrides)
    return Object.keys(metadata).length > 0 ? { metadata } : {}
  }
}

const toActiveBead = (bead: string | undefined) => (bead === undefined ? {} : { active_bead: bead })

const toLogFields = ({ activity, model, contextPct, contextWindow }: LogStatus = {}) => ({
  ...(activity !== undefined && { activity }),
  ...(model !== undefined && { model }),
  ...(contextPct !== undefined && { context_pct: contextPct }),
  ...(contextWindow !== undefined && { context_window: contextWindow }),
})

/** Undefined where the declaration has changed since the session was created, so that nothing can be shown. */
function valueOrUndefined<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

function kindOf(row: SessionRow, maxActive: number | undefined): string {
  if (row.rig === 'crew' || row.rig.endsWith('/crew')) return 'crew'
  return maxActive === 1 ? 'role' : 'pool'
}
