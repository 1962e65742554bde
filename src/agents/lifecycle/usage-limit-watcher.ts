import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import { errorMessage } from '../../core/errors.ts'
import { standing } from '../../host/terminal/standing.ts'
import type { SessionActivity } from '../sessions/activity.ts'
import type { SessionHost } from '../sessions/host.ts'
import type { SessionRepository } from '../sessions/repository.ts'
import type { SessionRow } from '../sessions/table.ts'
import { isRunning, type RunningSession } from '../sessions/view.ts'
import type { Launcher } from './launcher.ts'

interface Parts {
  book: SessionRepository
  host: Pick<SessionHost, 'screen'>
  launcher: Launcher
  live: SessionActivity
  /** Whether a program has a screen; those that speak a protocol tell of their limits themselves. */
  hasScreen(key: string): boolean
  deadlines: Deadlines
  /** Ends the program and holds its session. */
  limit(id: string, key: string, said: string): Promise<void>
  report(message: string): void
}

/** What a turn failed for that nothing but time mends. */
const LIMIT_REACHED = /usage limit|\bquota\b|limit reached|hit your limit/i
/** A screen that has shown nothing new for this long is looked at. */
const QUIET_PERIOD = 3_000

/** Looks at sessions that fall silent: one whose model has reached its usage limit waits for nothing but time. */
export class UsageLimitWatcher {
  readonly #looks = new Map<string, { deadline: Deadline; again: boolean }>()

  constructor(private readonly parts: Parts) {}

  /** A session showed something; it is looked at once it is quiet. */
  onOutput(id: string): void {
    const look = this.#looks.get(id)
    if (look) look.again = true
    else this.#arm(id)
  }

  /** A turn of a program that is spoken to by protocol failed, for this reason. */
  onTurnFailed(id: string, key: string, reason: string): void {
    if (!LIMIT_REACHED.test(reason) || !this.#isOurs(this.parts.book.find(id))) return
    void this.parts.limit(id, key, reason).catch((error) => this.parts.report(`session ${id}: ${errorMessage(error)}`))
  }

  close(): void {
    for (const { deadline } of this.#looks.values()) deadline.cancel()
    this.#looks.clear()
  }

  /** Whether these last lines of a program say that its usage limit is reached. */
  isReached(row: SessionRow, lines: readonly string[]): boolean {
    const { dialogs } = this.parts.launcher.program(row).manners
    const text = lines.join('\n')
    return dialogs.some(({ kind, seen }) => kind === 'usage-limit' && seen.test(text))
  }

  #arm(id: string): void {
    const deadline = this.parts.deadlines.after(QUIET_PERIOD, () => this.#due(id))
    this.#looks.set(id, { deadline, again: false })
  }

  #due(id: string): void {
    const look = this.#looks.get(id)
    this.#looks.delete(id)
    if (look?.again) this.#arm(id)
    else void this.#look(id).catch((error) => this.parts.report(`session ${id}: ${errorMessage(error)}`))
  }

  /** A person's session, and one that somebody looks at, is left to the person. */
  #isOurs(row: SessionRow | undefined): row is RunningSession {
    return row?.state === 'active' && isRunning(row) && row.origin !== 'manual' && !this.parts.live.isAttached(row.id)
  }

  async #look(id: string): Promise<void> {
    const { book, host, launcher, limit, hasScreen } = this.parts
    const row = book.find(id)
    if (!this.#isOurs(row) || !hasScreen(row.hostKey)) return
    const { manners } = launcher.program(row)
    if (!manners.dialogs.some(({ kind }) => kind === 'usage-limit')) return
    const screen = await host.screen(row.hostKey)
    const stands = standing(screen, manners, true)
    if (stands.is !== 'asking' || stands.dialog.kind !== 'usage-limit') return
    await limit(id, row.hostKey, screen.lines.join('\n').trim().slice(-2000))
  }
}
