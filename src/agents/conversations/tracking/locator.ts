import { query, type Store } from '../../../core/store/index.ts'
import {
  type LogFinder,
  type LogHandle,
  type LogOrigin,
  type LogSearch,
  pathVariants,
} from '../../../programs/logs/index.ts'
import { runtimeOf } from '../../../programs/runtimes.ts'
import type { SessionRepository, SessionRow } from '../../../work/sessions/index.ts'

/** The program of a session, as far as it determines the log. */
export interface SessionProgram {
  /** The built-in provider of the program; undefined when its logs cannot be read. */
  readonly builtinProvider: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** The beginning of the session's first prompt. */
  readonly greeting: string
}

/** The places in which the logs of a session can be. */
export interface LogPlaces {
  readonly finder: LogFinder
  readonly search: LogSearch
}

/** A program may write its log this long before its start is recorded. */
const START_TOLERANCE_MS = 60_000

const RIVAL_IDS = query<{ id: string }, [string, string, number]>(`SELECT id FROM sessions
       WHERE work_dir = ? AND id != ? AND woke_at IS NOT NULL
         AND (host_key IS NOT NULL OR max(woke_at, coalesce(slept_at, 0), coalesce(closed_at, 0)) >= ?)`)

/** Knows where the logs of sessions can be, and finds the log of a session, never that of another one. */
export class LogLocator {
  constructor(
    private readonly store: Store,
    private readonly sessionRepository: Pick<SessionRepository, 'find' | 'live'>,
    private readonly programOf: (row: SessionRow) => SessionProgram,
    private readonly now: () => number,
  ) {}

  /** The places of a session's logs; undefined when its program writes none that can be read. */
  places(row: SessionRow): LogPlaces | undefined {
    const { builtinProvider, env } = this.programOf(row)
    const finder = runtimeOf(builtinProvider).log
    if (!finder) return undefined
    const sleptAt = row.sleptAt !== null && row.sleptAt < (row.wokeAt ?? 0) ? row.sleptAt : 0
    const startedAfter = Math.max(row.createdAt, sleptAt, (row.wokeAt ?? 0) - START_TOLERANCE_MS)
    return { finder, search: { env, folders: pathVariants(row.workDir), startedAfter, now: this.now() } }
  }

  /** Opening of a session's first prompt. */
  greeting(row: SessionRow): string {
    return this.programOf(row).greeting
  }

  /** The other sessions whose programs may have written in the same places since this one started, or write there now. */
  rivals(row: SessionRow, { finder, search }: LogPlaces, onlyNow = false): SessionRow[] {
    const others = onlyNow ? this.#running(row) : this.#since(row, search.startedAfter)
    return others.filter((rival) => this.places(rival)?.finder === finder)
  }

  #running({ id, workDir }: SessionRow): SessionRow[] {
    return this.sessionRepository
      .live()
      .filter((other) => other.id !== id && other.workDir === workDir && other.hostKey !== null)
  }

  #since({ id, workDir }: SessionRow, startedAfter: number): SessionRow[] {
    return this.store
      .all(RIVAL_IDS, workDir, id, startedAfter)
      .flatMap((rival) => this.sessionRepository.find(rival.id) ?? [])
  }

  /** The first log of a session; undefined when it has none, or when several candidates remain. */
  find(row: SessionRow): LogHandle | undefined {
    const places = this.places(row)
    if (!places || row.wokeAt === null) return undefined
    const { finder, search } = places
    if (row.sessionKey !== null) return finder.findByKey(search, row.sessionKey)
    const rivals = this.rivals(row, places)
    const taken = new Set(rivals.map(({ sessionKey }) => sessionKey))
    const candidates = finder
      .folders(search, [])
      .flatMap((folder) => finder.writtenSince(search, folder, undefined, search.startedAfter))
      .filter((log) => log.key !== '' && !taken.has(log.key) && log.createdAt() >= search.startedAfter)
      .filter((log) => isOwnFolder(log.origin(), search) && log.origin().parent === undefined)
      .sort((a, b) => b.createdAt() - a.createdAt())
    const matching = candidates.find((log) => log.firstPrompt().includes(this.greeting(row)))
    if (matching) return matching
    return rivals.length === 0 && candidates.length === 1 ? candidates[0] : undefined
  }
}

/** True if the working folder that a log records is the session's. */
export const isOwnFolder = ({ folder }: LogOrigin, { folders }: LogSearch): boolean =>
  folder === undefined || folders.includes(folder)
