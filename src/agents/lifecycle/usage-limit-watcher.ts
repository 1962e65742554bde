import type { Clock } from '../../core/clock.ts'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import { errorMessage } from '../../core/errors.ts'
import type { Store } from '../../core/store.ts'
import { stateOf } from '../../host/terminal/program-state.ts'
import type { AcpConversations } from '../conversations/acp/conversations.ts'
import type { LogSnapshot } from '../conversations/entries/log-reader.ts'
import type { SessionLogs } from '../conversations/tracking/session-logs.ts'
import { LogWatcher } from '../limits/log-watcher.ts'
import type { LoginLimits } from '../limits/login-limits.ts'
import type { Logins } from '../limits/logins.ts'
import { readLimit } from '../limits/read-limit.ts'
import type { LimitStatement } from '../limits/statement.ts'
import type { SessionActivity } from '../sessions/activity.ts'
import type { SessionHost } from '../sessions/host.ts'
import type { SessionRepository } from '../sessions/repository.ts'
import { isRunning, type RunningSession } from '../sessions/running.ts'
import type { SessionRow } from '../sessions/table.ts'
import type { Launcher } from './launcher.ts'
import type { SessionProcesses } from './processes.ts'

interface UsageLimitWatcherOptions {
  store: Store
  clock: Clock
  repository: SessionRepository
  host: Pick<SessionHost, 'screen'>
  launcher: Launcher
  activity: SessionActivity
  conversations: Pick<AcpConversations, 'usesAcp' | 'onTurnEnd'>
  logs: Pick<SessionLogs, 'onRead'>
  processes: Pick<SessionProcesses, 'limit'>
  limits: Pick<LoginLimits, 'reached'>
  logins: Pick<Logins, 'of'>
  deadlines: Deadlines
  /** The built-in provider of a session's program. */
  programOf(row: SessionRow): string | undefined
  report(message: string): void
}

/** Errors of turns that say that a usage limit is reached, of programs whose words are not known. */
const LIMIT_REACHED = /usage limit|\bquota\b|limit reached|hit your limit/i
/** A screen is read once it has not changed for this long. */
const QUIET_PERIOD = 3_000

/** Notices programs that have reached the usage limit of their login, and ends those that nobody watches. */
export class UsageLimitWatcher {
  readonly #checks = new Map<string, { deadline: Deadline; again: boolean }>()
  readonly #logs = new LogWatcher()
  /** Until when the logs of sessions say that a limit of theirs is used up. */
  readonly #full = new Map<string, number>()

  constructor(private readonly options: UsageLimitWatcherOptions) {
    options.conversations.onTurnEnd(({ session, key, error }) => {
      if (error !== undefined) this.#onTurnFailed(session, key, error)
    })
    options.logs.onRead((row, snapshot) => this.#onLog(row, snapshot))
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

  /** What these last lines of a program say of a usage limit. */
  statementIn(row: SessionRow, lines: readonly string[]): LimitStatement | undefined {
    const { dialogs } = this.options.launcher.program(row).profile
    const text = lines.join('\n')
    return dialogs.some(({ kind, seen }) => kind === 'usage-limit' && seen.test(text))
      ? this.#read(row, text)
      : undefined
  }

  #onTurnFailed(id: string, key: string, reason: string): void {
    const row = this.options.repository.find(id)
    if (row?.hostKey !== key) return
    const statement = readLimit(this.options.programOf(row), reason, this.options.clock.now())
    if (statement || LIMIT_REACHED.test(reason)) this.#onLimit(row, statement ?? { until: undefined, text: reason })
  }

  #onLog(row: SessionRow, snapshot: LogSnapshot): void {
    const { programOf, repository } = this.options
    const found = this.#logs.read(row.id, programOf(row), snapshot, row.wokeAt ?? row.createdAt)
    const current = repository.find(row.id)
    if (!current || !isRunning(current)) {
      this.#logs.forget(row.id)
      this.#full.delete(row.id)
    }
    if (found?.is === 'full') this.#full.set(row.id, found.until)
    if (found?.is === 'limited' && current?.hostKey) this.#onLimit(current, found.statement)
  }

  /** A person's session, and one that somebody watches, is left to the person; its login is limited all the same. */
  #onLimit(row: SessionRow, statement: LimitStatement): void {
    const { store, limits, logins, processes } = this.options
    const handled = this.#isUnattended(row)
      ? processes.limit(row.id, row.hostKey, statement)
      : store.write((tx) => limits.reached(tx, logins.of(row), statement))
    void handled.catch((error) => this.#report(row.id, error))
  }

  /** What a text says of the usage limit that it names, completed from the log where it does not say when it ends. */
  #read(row: SessionRow, text: string): LimitStatement {
    const statement = readLimit(this.options.programOf(row), text, this.options.clock.now())
    const full = this.#full.get(row.id)
    const until = full !== undefined && full > this.options.clock.now() ? full : undefined
    return { until: until ?? statement?.until, text: statement?.text ?? lastLine(text) }
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

  #isUnattended(row: SessionRow | undefined): row is RunningSession {
    if (row?.state !== 'active' || row.origin === 'manual') return false
    return isRunning(row) && !this.options.activity.isAttached(row.id)
  }

  async #checkScreen(id: string): Promise<void> {
    const { repository, host, launcher, conversations } = this.options
    const row = repository.find(id)
    if (!row || !isRunning(row) || conversations.usesAcp(row.hostKey)) return
    const { profile } = launcher.program(row)
    if (!profile.dialogs.some(({ kind }) => kind === 'usage-limit')) return
    const screen = await host.screen(row.hostKey)
    const state = stateOf(screen, profile, true)
    if (state.is !== 'asking' || state.dialog.kind !== 'usage-limit') return
    this.#onLimit(row, this.#read(row, screen.lines.join('\n')))
  }

  #report(id: string, error: unknown): void {
    this.options.report(`session ${id}: ${errorMessage(error)}`)
  }
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.trim().slice(0, 300) ?? ''
