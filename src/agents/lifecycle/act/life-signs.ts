import type { CityContext } from '../../../core/city-context.ts'
import type { SessionHost } from '../../../host/client/index.ts'
import { showsEmptyInput, standingOf } from '../../../host/terminal/index.ts'
import type { RunningSession } from '../../../work/sessions/index.ts'
import type { AcpConversations } from '../../conversations/index.ts'
import type { LaunchPlanner } from '../../launch/index.ts'
import { IDLE_GRACE } from '../plan/limits.ts'

/** The reason for which a session is drained that claims nothing. */
const UNCLAIMED = 'no-wake-reason'
/** Time a program's use of the processor is measured when it was not before. */
const MEASUREMENT = 10_000
/** The part of one processor that a program uses at least while it does something. */
const LEAST_LOAD = 0.01
/** Number of programs' measurements that are kept. */
const MAX_MEASURED = 1000

/** Looks at a session that seems idle for signs that it is not. */
export class LifeSigns {
  readonly #measured = new Map<string, { cpuTime: number; at: number }>()

  constructor(
    private readonly context: Pick<CityContext, 'clock'>,
    private readonly peers: {
      host: Pick<SessionHost, 'screen'>
      launchPlanner: Pick<LaunchPlanner, 'program' | 'startupTimeout'>
      conversations: Pick<AcpConversations, 'usesAcp' | 'questions'>
      /** The processor time in milliseconds that a program and its children have used. */
      cpuTime(pid: number): Promise<number>
    },
  ) {}

  /**
   * Time a session should be left alone that would be drained for this reason, in milliseconds: while its program waits
   * for a person or the end of a limit, and while one that has claimed nothing is still starting up. 0 when it is idle.
   */
  async patience(row: RunningSession, reason: string): Promise<number> {
    const { conversations, host, launchPlanner } = this.peers
    if (conversations.usesAcp(row.hostKey)) return conversations.questions(row.hostKey).length > 0 ? IDLE_GRACE : 0
    const { profile } = launchPlanner.program(row)
    const screen = await host.screen(row.hostKey)
    const standing = standingOf(screen, profile)
    if (standing === 'person' || standing === 'limit') return IDLE_GRACE
    if (reason !== UNCLAIMED || !this.#isStartingUp(row)) return 0
    const isBlank = screen.lines.every((line) => line.trim() === '')
    if (standing === 'starting' || standing === 'working' || isBlank) return IDLE_GRACE
    return showsEmptyInput(screen, profile) === undefined ? this.#load(row) : 0
  }

  /** A pool session is expected to claim something within its `startup_timeout`; others have nothing to claim. */
  #isStartingUp(row: RunningSession): boolean {
    const { clock } = this.context
    const { launchPlanner } = this.peers
    if (row.origin !== 'ephemeral' || row.worked || row.wokeAt === null) return false
    return clock.now() < row.wokeAt + launchPlanner.startupTimeout(row)
  }

  /** A program without readable screen is judged by the processor time that it used since it was last looked at. */
  async #load({ hostKey, pid }: RunningSession): Promise<number> {
    const now = this.context.clock.monotonic()
    const cpuTime = await this.peers.cpuTime(pid)
    const before = this.#measured.get(hostKey)
    this.#measured.delete(hostKey)
    this.#measured.set(hostKey, { cpuTime, at: now })
    for (const key of this.#measured.keys()) if (this.#measured.size > MAX_MEASURED) this.#measured.delete(key)
    if (!before) return MEASUREMENT
    return cpuTime - before.cpuTime >= LEAST_LOAD * (now - before.at) ? IDLE_GRACE : 0
  }
}
