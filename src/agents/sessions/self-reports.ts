import type { Clock } from '../../core/clock.ts'
import { parseDuration } from '../../core/durations.ts'
import { AppError } from '../../core/errors.ts'
import type { Store } from '../../core/store/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKWithIDResponseBody } from '../../http/schema.ts'
import type { SessionRepository, SessionResolver, SessionRow } from '../../work/sessions/index.ts'
import type { Conversation, Heartbeat } from './runtime-schema.ts'

interface SelfReportsOptions {
  store: Store
  clock: Clock
  repository: SessionRepository
  resolver: SessionResolver
}

const DEFAULT_HEARTBEAT = 45 * 60_000
/** Reason why a program continues in another conversation. */
const CONTINUES: ReadonlySet<string> = new Set(['clear', 'resume', 'compact', 'fork'])
const MAX_HEARTBEAT = 24 * 3_600_000

/** Reports of a session about its own run. */
export class SelfReports {
  constructor(private readonly options: SelfReportsOptions) {}

  /** The calling session reports that it is at work, although no output may show that for a while. */
  async heartbeat(token: string, caller: Caller, { duration }: Heartbeat = {}): Promise<OKWithIDResponseBody> {
    const { store, clock, repository } = this.options
    const row = this.#ownSession(token, caller, 'say that it is at work')
    const length = duration === undefined ? DEFAULT_HEARTBEAT : parseDuration(duration)
    if (length === undefined) {
      throw new AppError('invalid-request', `duration takes a length of time such as 30m or 1h30m, not "${duration}"`)
    }
    const busyUntil = clock.now() + Math.min(length, MAX_HEARTBEAT)
    return store.write((tx) => {
      repository.update(tx, row.id, { busyUntil })
      return { status: 'ok', id: row.id }
    }, actorOf(caller))
  }

  /**
   * The calling session reports its program's name of the conversation. The first one stays until the program continues
   * in another: a program that the agent runs in its shell reports a start of its own.
   */
  async nameConversation(token: string, caller: Caller, { key, source }: Conversation): Promise<OKWithIDResponseBody> {
    const { store, repository } = this.options
    const row = this.#ownSession(token, caller, 'name its conversation')
    return store.write((tx) => {
      const before = repository.get(row.id).sessionKey
      if (before === null || (before !== key && CONTINUES.has(source ?? '')))
        repository.update(tx, row.id, { sessionKey: key })
      return { status: 'ok', id: row.id }
    }, actorOf(caller))
  }

  #ownSession(token: string, caller: Caller, action: string): SessionRow {
    const row = this.options.resolver.resolve(token)
    if (caller.kind === 'session' && row.id === caller.session) return row
    throw new AppError('forbidden', `forbidden: only session ${row.id} itself can ${action}`)
  }
}
