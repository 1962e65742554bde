import { gcPart } from '../../../core/actor.ts'
import type { CityContext } from '../../../core/city-context.ts'
import type { Deadline } from '../../../core/deadlines.ts'
import { errorMessage } from '../../../core/errors.ts'
import type { SessionHost } from '../../../host/client/index.ts'
import { stateOf, type TerminalScreen } from '../../../host/terminal/index.ts'
import type { LimitStatement } from '../../../programs/limits/index.ts'
import { readLimit, readLoginFailure } from '../../../programs/login-statements.ts'
import type { QuestionKind, TerminalProfile } from '../../../programs/terminal-profile.ts'
import {
  isRunning,
  type RunningSession,
  type SessionRepository,
  type SessionRow,
} from '../../../work/sessions/index.ts'
import type { AcpConversations, LogReading, SessionActivity, SessionLogs } from '../../conversations/index.ts'
import type { LaunchPlanner } from '../../launch/index.ts'
import type { LoginLimits, Logins } from '../../limits/index.ts'
import type { SessionProcesses } from '../act/processes.ts'
import type { ProcessExit } from '../plan/exit-rules.ts'
import { QUICK_EXIT } from '../plan/limits.ts'
import { LogWatcher } from './log-watcher.ts'

type LoginStatement = Pick<ProcessExit, 'limit' | 'deadLogin'>

/** Errors of turns that say that a usage limit is reached, of programs whose words are not known. */
const LIMIT_REACHED = /usage limit|\bquota\b|limit reached|hit your limit/i
/** A screen is read once it has not changed for this long. */
const QUIET_PERIOD = 3_000
/** Maximum waits for a screen that never becomes quiet, before it is read anyway. */
const MAX_BUSY_LOOKS = 4

/**
 * Notices programs whose login reached its usage limit or is not accepted any more, and ends those that no one watches.
 */
export class LoginWatcher {
  readonly #checks = new Map<string, { deadline: Deadline; again: boolean; looks: number }>()
  readonly #logs = new LogWatcher()
  /** Until when the logs of sessions say that a limit of theirs is used up. */
  readonly #full = new Map<string, number>()
  /** The session in which a person can log in again, by login. */
  readonly #asking = new Map<string, string>()

  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      repository: SessionRepository
      host: Pick<SessionHost, 'screen' | 'question' | 'reportsQuestions'>
      launchPlanner: LaunchPlanner
      activity: SessionActivity
      conversations: Pick<AcpConversations, 'usesAcp' | 'onTurnEnd'>
      logs: Pick<SessionLogs, 'onRead'>
      processes: Pick<SessionProcesses, 'leaveLogin'>
      limits: Pick<LoginLimits, 'reached' | 'failed' | 'find' | 'restore'>
      logins: Pick<Logins, 'of' | 'hasOther'>
      /** The built-in provider of a session's program. */
      programOf(row: SessionRow): string | undefined
    },
  ) {
    peers.conversations.onTurnEnd(({ session, key, error }) => {
      if (error !== undefined) this.#onTurnFailed(session, key, error)
    })
    peers.logs.onRead((row, reading) => this.#onLog(row, reading))
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

  /** True if a running session asks a person to log in. */
  isAsking(login: string): boolean {
    const row = this.peers.repository.find(this.#asking.get(login) ?? '')
    return row !== undefined && isRunning(row)
  }

  /** Statement about the login in a program's last lines. */
  statementIn(row: SessionRow, lines: readonly string[]): LoginStatement {
    const { dialogs } = this.peers.launchPlanner.program(row).profile
    const text = lines.join('\n')
    if (dialogs.some(({ kind, seen }) => kind === 'usage-limit' && seen.test(text)))
      return { limit: this.#read(row, text) }
    // A program that ran for a while may show such words of others.
    const ran = this.context.clock.now() - (row.wokeAt ?? 0)
    const deadLogin = ran < QUICK_EXIT ? readLoginFailure(this.peers.programOf(row), text) : undefined
    return deadLogin === undefined ? {} : { deadLogin }
  }

  #onTurnFailed(id: string, key: string, reason: string): void {
    const row = this.peers.repository.find(id)
    if (row?.hostKey !== key) return
    const program = this.peers.programOf(row)
    const statement = readLimit(program, reason, this.context.clock.now())
    const deadLogin = readLoginFailure(program, reason)
    if (statement || LIMIT_REACHED.test(reason))
      this.#leave(row, { limit: statement ?? { until: undefined, text: reason } })
    else if (deadLogin !== undefined) this.#leave(row, { deadLogin })
  }

  #onLog(row: SessionRow, reading: LogReading): void {
    const { programOf, repository } = this.peers
    const since = Math.max(row.wokeAt ?? row.createdAt, reading.since)
    const state = this.#logs.read(row.id, programOf(row), reading, since)
    const current = repository.find(row.id)
    if (!current || !isRunning(current)) {
      this.#logs.forget(row.id)
      this.#full.delete(row.id)
    }
    if (state?.is === 'full') this.#full.set(row.id, state.until)
    if (state?.is === 'limited' && current?.hostKey) this.#leave(current, { limit: state.statement })
    if (state?.is === 'dead' && current?.hostKey) this.#leave(current, { deadLogin: state.reason })
  }

  /** A person's session, and one that somebody watches, is left to the person; what it says of its login holds all the same. */
  #leave(row: SessionRow, statement: LoginStatement): void {
    const handled = this.#isUnattended(row)
      ? this.peers.processes.leaveLogin(row.id, row.hostKey, statement)
      : this.#record(row, statement)
    void handled.catch((error) => this.#report(row.id, error))
  }

  #record(row: SessionRow, { limit, deadLogin }: LoginStatement): Promise<void> {
    const { store } = this.context
    const { limits, logins } = this.peers
    return store.write((tx) => {
      if (limit) limits.reached(tx, logins.of(row), limit)
      if (deadLogin !== undefined) limits.failed(tx, logins.of(row), deadLogin)
    }, gcPart('sessions'))
  }

  /** The first session that asks stays for a person to log in there, unless its work can continue elsewhere. */
  #onLoginDialog(row: RunningSession, text: string): void {
    const { limits, logins, programOf } = this.peers
    const { id } = logins.of(row)
    const deadLogin = readLoginFailure(programOf(row), text) ?? 'it asks to log in'
    if (!this.isAsking(id) && limits.find(id)?.state !== 'dead') this.#asking.set(id, row.id)
    if (logins.hasOther(row) || this.#asking.get(id) !== row.id) this.#leave(row, { deadLogin })
    else void this.#record(row, { deadLogin }).catch((error) => this.#report(row.id, error))
  }

  /** The session in which a person was to log in asks no more. */
  #onLoggedIn(row: RunningSession): void {
    const { store } = this.context
    const { limits, logins } = this.peers
    const { id } = logins.of(row)
    if (this.#asking.get(id) !== row.id) return
    this.#asking.delete(id)
    void store.write((tx) => limits.restore(tx, id), gcPart('sessions')).catch((error) => this.#report(row.id, error))
  }

  /** Usage limit named by a text, completed from the log if the text has no end time. */
  #read(row: SessionRow, text: string): LimitStatement {
    const statement = readLimit(this.peers.programOf(row), text, this.context.clock.now())
    const full = this.#full.get(row.id)
    const until = full !== undefined && full > this.context.clock.now() ? full : undefined
    return { until: until ?? statement?.until, text: statement?.text ?? lastLine(text) }
  }

  #schedule(id: string, looks = 0): void {
    const deadline = this.context.deadlines.after(QUIET_PERIOD, () => this.#onDue(id))
    this.#checks.set(id, { deadline, again: false, looks })
  }

  #onDue(id: string): void {
    const check = this.#checks.get(id)
    this.#checks.delete(id)
    if (!check?.again) void this.#checkScreen(id).catch((error) => this.#report(id, error))
    else if (check.looks < MAX_BUSY_LOOKS) this.#schedule(id, check.looks + 1)
    else void this.#checkBusyScreen(id).catch((error) => this.#report(id, error))
  }

  /** A program that waits for its limit to end may count the seconds, so that its screen is never quiet. */
  async #checkBusyScreen(id: string): Promise<void> {
    this.#schedule(id)
    const { repository, host, launchPlanner, conversations } = this.peers
    const row = repository.find(id)
    if (!row || !isRunning(row) || conversations.usesAcp(row.hostKey)) return
    const { waits } = launchPlanner.program(row).profile
    if (waits) this.#onWaiting(row, waits, (await host.screen(row.hostKey)).lines.join('\n'))
  }

  #onWaiting(row: RunningSession, waits: RegExp, text: string): void {
    const at = waits.exec(text)?.index
    if (at === undefined) return
    const limit = readLimit(this.peers.programOf(row), text.slice(at), this.context.clock.now())
    if (limit) this.#leave(row, { limit })
  }

  #isUnattended(row: SessionRow | undefined): row is RunningSession {
    if (row?.state !== 'active' || row.origin === 'manual') return false
    return isRunning(row) && !this.peers.activity.isAttached(row.id)
  }

  async #checkScreen(id: string): Promise<void> {
    const { repository, host, launchPlanner, conversations } = this.peers
    const row = repository.find(id)
    if (!row || !isRunning(row) || conversations.usesAcp(row.hostKey)) return
    const { profile } = launchPlanner.program(row)
    if (profile.dialogs.length === 0) return
    const screen = await host.screen(row.hostKey)
    const asked = this.#askedKind(row, screen, profile)
    const text = screen.lines.join('\n')
    if (profile.waits) this.#onWaiting(row, profile.waits, text)
    if (asked === undefined) this.#onLoggedIn(row)
    else if (asked === 'usage-limit') this.#leave(row, { limit: this.#read(row, text) })
    else if (asked === 'login') this.#onLoginDialog(row, text)
  }

  /** The kind of a dialog: as its host reads it, which separates it by its colours from words of an agent. */
  #askedKind({ hostKey }: RunningSession, screen: TerminalScreen, profile: TerminalProfile): QuestionKind | undefined {
    const { host } = this.peers
    if (host.reportsQuestions(hostKey)) return host.question(hostKey)?.kind
    const state = stateOf(screen, profile, true)
    return state.is === 'asking' ? state.dialog.kind : undefined
  }

  #report(id: string, error: unknown): void {
    this.context.report(`session ${id}: ${errorMessage(error)}`)
  }
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.trim().slice(0, 300) ?? ''
