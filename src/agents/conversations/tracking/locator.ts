import type { Statement } from '../../../core/statement.ts'
import type { Store } from '../../../core/store.ts'
import type { SessionRepository } from '../../sessions/repository.ts'
import type { SessionRow } from '../../sessions/table.ts'
import { LOG_FINDERS, type LogFinder, type LogHandle } from '../logs/log-finders.ts'
import { type LogSearch, pathVariants } from '../logs/search.ts'

/** The program of a session, as far as it determines the log. */
export interface SessionProgram {
  /** The built-in provider of the program; undefined when its logs cannot be read. */
  readonly builtinProvider: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** The beginning of the session's first prompt. */
  readonly greeting: string
}

/** A program may write its log this long before its start is recorded. */
const START_TOLERANCE_MS = 60_000

/** Finds the log of a session, and never that of another session. */
export class LogLocator {
  readonly #rivalIds: Statement<{ id: string }, [string, string, number]>

  constructor(
    store: Store,
    private readonly sessionRepository: Pick<SessionRepository, 'find'>,
    private readonly programOf: (row: SessionRow) => SessionProgram,
    private readonly now: () => number,
  ) {
    this.#rivalIds = store.prepare(
      `SELECT id FROM sessions
       WHERE work_dir = ? AND id != ? AND woke_at IS NOT NULL
         AND (host_key IS NOT NULL OR max(woke_at, coalesce(slept_at, 0), coalesce(closed_at, 0)) >= ?)`,
    )
  }

  /** The folders in which a session's log is or will be; none when its program writes no readable log. */
  directories(row: SessionRow): string[] {
    const program = this.programOf(row)
    return this.#finderOf(program)?.directories(this.#searchOf(row, program)) ?? []
  }

  /** The log of a session; undefined when it has none, or when several candidates remain. */
  find(row: SessionRow): LogHandle | undefined {
    const program = this.programOf(row)
    const finder = this.#finderOf(program)
    if (!finder || row.wokeAt === null) return undefined
    const search = this.#searchOf(row, program)
    if (row.sessionKey !== null) return finder.findByKey(search, row.sessionKey)
    const rivals = this.#rivalIds
      .all(row.workDir, row.id, search.startedAfter)
      .flatMap(({ id }) => this.sessionRepository.find(id) ?? [])
    const taken = new Set(rivals.map(({ sessionKey }) => sessionKey))
    const candidates = finder.findCandidates(search).filter(({ key }) => key !== '' && !taken.has(key))
    const matching = candidates.find((log) => log.firstPrompt().includes(program.greeting))
    if (matching) return matching
    const hasNoRival = !rivals.some((rival) => this.#finderOf(this.programOf(rival)) === finder)
    return hasNoRival && candidates.length === 1 ? candidates[0] : undefined
  }

  #finderOf({ builtinProvider }: SessionProgram): LogFinder | undefined {
    return builtinProvider === undefined ? undefined : LOG_FINDERS.get(builtinProvider)
  }

  #searchOf(row: SessionRow, { env }: SessionProgram): LogSearch {
    const sleptAt = row.sleptAt !== null && row.sleptAt < (row.wokeAt ?? 0) ? row.sleptAt : 0
    const startedAfter = Math.max(row.createdAt, sleptAt, (row.wokeAt ?? 0) - START_TOLERANCE_MS)
    return { env, folders: pathVariants(row.workDir), startedAfter, now: this.now() }
  }
}
