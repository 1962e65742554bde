import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import { errorMessage } from '../../core/errors.ts'
import { stateOf } from '../../host/terminal/program-state.ts'
import type { AcpConversations } from '../conversations/acp/conversations.ts'
import type { SessionActivity } from '../sessions/activity.ts'
import type { SessionHost } from '../sessions/host.ts'
import type { SessionRepository } from '../sessions/repository.ts'
import { isRunning, type RunningSession } from '../sessions/running.ts'
import type { SessionRow } from '../sessions/table.ts'
import type { Launcher } from './launcher.ts'
import type { SessionProcesses } from './processes.ts'

interface UsageLimitWatcherOptions {
  repository: SessionRepository
  host: Pick<SessionHost, 'screen'>
  launcher: Launcher
  activity: SessionActivity
  conversations: Pick<AcpConversations, 'usesAcp' | 'onTurnEnd'>
  processes: Pick<SessionProcesses, 'limit'>
  deadlines: Deadlines
  report(message: string): void
}

/** Errors of turns that say that a usage limit is reached. */
const LIMIT_REACHED = /usage limit|\bquota\b|limit reached|hit your limit/i
/** A screen is read once it has not changed for this long. */
const QUIET_PERIOD = 3_000

/** Detects sessions whose model has reached its usage limit, and holds them until it may be lifted. */
export class UsageLimitWatcher {
  readonly #checks = new Map<string, { deadline: Deadline; again: boolean }>()

  constructor(private readonly options: UsageLimitWatcherOptions) {
    options.conversations.onTurnEnd(({ session, key, error }) => {
      if (error !== undefined) this.#onTurnFailed(session, key, error)
    })
  }

  /** Schedules a check of a session's screen for when its output pauses. */
  onOutput(id: string): void {
    const check = this.#checks.get(id)
    if (check) check.again = true
    else this.#schedule(id)
  }

  close(): void {
    for (const { deadline } of this.#checks.values()) deadline.cancel()
    this.#checks.clear()
  }

  /** Whether these last lines of a program say that its usage limit is reached. */
  isReached(row: SessionRow, lines: readonly string[]): boolean {
    const { dialogs } = this.options.launcher.program(row).profile
    const text = lines.join('\n')
    return dialogs.some(({ kind, seen }) => kind === 'usage-limit' && seen.test(text))
  }

  #onTurnFailed(id: string, key: string, reason: string): void {
    const { repository, processes } = this.options
    if (!LIMIT_REACHED.test(reason) || !this.#isUnattended(repository.find(id))) return
    void processes.limit(id, key, reason).catch((error) => this.#report(id, error))
  }

  #schedule(id: string): void {
    const deadline = this.options.deadlines.after(QUIET_PERIOD, () => this.#onDue(id))
    this.#checks.set(id, { deadline, again: false })
  }

  #onDue(id: string): void {
    const check = this.#checks.get(id)
    this.#checks.delete(id)
    if (check?.again) this.#schedule(id)
    else void this.#checkScreen(id).catch((error) => this.#report(id, error))
  }

  /** A person's session, and one that somebody watches, is left to the person. */
  #isUnattended(row: SessionRow | undefined): row is RunningSession {
    if (row?.state !== 'active' || row.origin === 'manual') return false
    return isRunning(row) && !this.options.activity.isAttached(row.id)
  }

  async #checkScreen(id: string): Promise<void> {
    const { repository, host, launcher, processes, conversations } = this.options
    const row = repository.find(id)
    if (!this.#isUnattended(row) || conversations.usesAcp(row.hostKey)) return
    const { profile } = launcher.program(row)
    if (!profile.dialogs.some(({ kind }) => kind === 'usage-limit')) return
    const screen = await host.screen(row.hostKey)
    const state = stateOf(screen, profile, true)
    if (state.is !== 'asking' || state.dialog.kind !== 'usage-limit') return
    await processes.limit(id, row.hostKey, screen.lines.join('\n').trim().slice(-2000))
  }

  #report(id: string, error: unknown): void {
    this.options.report(`session ${id}: ${errorMessage(error)}`)
  }
}
