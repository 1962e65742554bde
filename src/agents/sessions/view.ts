import { effectiveOptions } from '../../config/providers/launch.ts'
import type { LogStatus } from '../conversations/entries/status.ts'
import type { Launcher } from '../lifecycle/launcher.ts'
import type { SessionActivity } from './activity.ts'
import { workNamesOf } from './metadata.ts'
import type { SessionRepository } from './repository.ts'
import type { SessionResponse } from './schema.ts'
import type { SessionRow } from './table.ts'
import type { Workload } from './workload.ts'

/** Whole seconds, as this resource has always shown its moments. */
const formatSeconds = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')

/** Whether a session's program runs. */
export const isRunning = (row: SessionRow): row is RunningSession => row.hostKey !== null && row.pid !== null
export type RunningSession = SessionRow & { hostKey: string; pid: number }

/** Shows sessions as clients see them. */
export class SessionView {
  constructor(
    private readonly book: SessionRepository,
    private readonly launcher: Launcher,
    private readonly workload: Workload,
    private readonly live: SessionActivity,
  ) {}

  show(row: SessionRow, more: { lastOutput?: string } = {}): SessionResponse {
    const running = isRunning(row)
    const closed = row.state === 'closed'
    const agent = this.launcher.agent(row.template)
    return {
      id: row.id,
      kind: row.kind,
      template: row.template,
      state: wireState(row),
      ...(row.reason && !closed && { reason: row.reason }),
      title: this.book.titleOf(row.id),
      ...(row.alias !== null && { alias: row.alias }),
      provider: row.provider,
      ...this.#provider(row),
      session_name: row.sessionName,
      work_dir: row.workDir,
      created_at: formatSeconds(row.createdAt),
      ...this.#moments(row),
      attached: this.live.isAttached(row.id),
      running,
      ...(row.rig && { rig: row.rig }),
      ...(agent && agent.maxActive !== 1 && { pool: row.template }),
      ...(row.kind === 'agent' && { agent_kind: kindOf(row, agent?.maxActive) }),
      ...(running && this.#active(row)),
      ...(running && toStanding(this.live.standing(row.id))),
      ...(more.lastOutput !== undefined && { last_output: more.lastOutput }),
      ...(row.named !== null && { configured_named_session: true }),
      ...this.#metadata(row),
    }
  }

  #moments(row: SessionRow) {
    const active = Math.max(this.live.lastOutput(row.id) ?? 0, row.activeAt ?? 0)
    return {
      ...(active > 0 && { last_active: formatSeconds(active) }),
      ...(row.nudgedAt !== null && { last_nudge_delivered_at: formatSeconds(row.nudgedAt) }),
    }
  }

  #active(row: SessionRow): { active_bead?: string } {
    const held = this.workload.assignedTo(workNamesOf(row)).find(({ status }) => status === 'in_progress')
    return held ? { active_bead: held.id } : {}
  }

  #provider(row: SessionRow): Pick<SessionResponse, 'display_name' | 'submission_capabilities' | 'options'> {
    const capabilities = {
      supports_follow_up: (valueOrUndefined(() => this.launcher.transport(row)) ?? 'terminal') === 'terminal',
      supports_interrupt_now: row.provider !== 'antigravity',
    }
    const known = this.#known(row)
    if (!known) return { submission_capabilities: capabilities }
    const agent = this.launcher.agent(row.template)
    return {
      display_name: known.displayName ?? known.name,
      submission_capabilities: capabilities,
      options: valueOrUndefined(() => effectiveOptions(known, agent?.optionDefaults, row.options)) ?? row.options,
    }
  }

  #known(row: SessionRow) {
    const agent = row.kind === 'agent' ? this.launcher.agent(row.template) : undefined
    if (agent?.startCommand !== undefined) return undefined
    return valueOrUndefined(() => this.launcher.provider(row.provider))
  }

  #metadata(row: SessionRow): { metadata?: Record<string, string> } {
    const overrides = { ...row.options, ...(row.firstMessage !== null && { initial_message: row.firstMessage }) }
    const metadata: Record<string, string> = {}
    if (row.project !== null) metadata.real_world_app_project_id = row.project
    if (Object.keys(overrides).length > 0) metadata.template_overrides = JSON.stringify(overrides)
    return Object.keys(metadata).length > 0 ? { metadata } : {}
  }
}

const toStanding = ({ activity, model, contextPct, contextWindow }: LogStatus) => ({
  ...(activity !== undefined && { activity }),
  ...(model !== undefined && { model }),
  ...(contextPct !== undefined && { context_pct: contextPct }),
  ...(contextWindow !== undefined && { context_window: contextWindow }),
})

/** What is declared may have changed since the session was made: then there is nothing to tell. */
function valueOrUndefined<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** The state in the words of the wire; closed is empty. */
export function wireState(row: SessionRow): string {
  if (row.state === 'closed') return ''
  if (row.state === 'active' && !isRunning(row)) return 'asleep'
  return row.state
}

function kindOf(row: SessionRow, maxActive: number | undefined): string {
  if (row.rig === 'crew' || row.rig.endsWith('/crew')) return 'crew'
  return maxActive === 1 ? 'role' : 'pool'
}
