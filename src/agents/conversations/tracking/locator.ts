import type { Statement } from 'bun:sqlite'
import type { Store } from '../../../core/store.ts'
import type { SessionRepository } from '../../sessions/repository.ts'
import type { SessionRow } from '../../sessions/table.ts'
import { LOG_FINDERS, type LogFinder, type LogHandle } from '../logs/log-finders.ts'
import { type LogSearch, pathVariants } from '../logs/search.ts'

/** What has to be known of a session to find its log. */
export interface SessionProgram {
  /** The builtin provider its program is of; undefined when its logs cannot be read. */
  readonly builtinProvider: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** How the first prompt of this very session begins. */
  readonly greeting: string
}

/** A program may write the first line of its log this long before its start is on record. */
const START_TOLERANCE_MS = 60_000

/** Finds the log of a session, and never takes another's for it. */
export class LogLocator {
  readonly #rivalIds: Statement<{ id: string }, [string, string, number]>

  constructor(
    store: Store,
    private readonly book: Pick<SessionRepository, 'find'>,
    private readonly programOf: (row: SessionRow) => SessionProgram,
    private readonly now: () => number,
  ) {
    this.#rivalIds = store.prepare(
      `SELECT id FROM sessions
       WHERE work_dir = ? AND id != ? AND woke_at IS NOT NULL
         AND (host_key IS NOT NULL OR max(woke_at, coalesce(slept_at, 0), coalesce(closed_at, 0)) >= ?)`,
    )
  }

  /** The folders in which a session's log is or will be; none when its program keeps none that can be read. */
  directories(row: SessionRow): string[] {
    const origin = this.programOf(row)
    return this.#programLogs(origin)?.directories(this.#search(row, origin)) ?? []
  }

  /** The log of a session; undefined when it has none, or when it cannot be told which it is. */
  find(row: SessionRow): LogHandle | undefined {
    const origin = this.programOf(row)
    const family = this.#programLogs(origin)
    if (!family || row.wokeAt === null) return undefined
    const where = this.#search(row, origin)
    if (row.sessionKey !== null) return family.findByKey(where, row.sessionKey)
    const rivals = this.#rivalIds
      .all(row.workDir, row.id, where.startedAfter)
      .flatMap(({ id }) => this.book.find(id) ?? [])
    const taken = new Set(rivals.map(({ sessionKey }) => sessionKey))
    const begun = family.findCandidates(where).filter(({ key }) => key !== '' && !taken.has(key))
    const greeted = begun.find((found) => found.firstPrompt().includes(origin.greeting))
    if (greeted) return greeted
    const alone = !rivals.some((rival) => this.#programLogs(this.programOf(rival)) === family)
    return alone && begun.length === 1 ? begun[0] : undefined
  }

  #programLogs({ builtinProvider: ancestor }: SessionProgram): LogFinder | undefined {
    return ancestor === undefined ? undefined : LOG_FINDERS.get(ancestor)
  }

  #search(row: SessionRow, { env }: SessionProgram): LogSearch {
    const slept = row.sleptAt !== null && row.sleptAt < (row.wokeAt ?? 0) ? row.sleptAt : 0
    const since = Math.max(row.createdAt, slept, (row.wokeAt ?? 0) - START_TOLERANCE_MS)
    return { env, folders: pathVariants(row.workDir), startedAfter: since, now: this.now() }
  }
}
