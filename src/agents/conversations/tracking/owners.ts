import { readText } from '../../../core/files.ts'
import { isDescendantOf, readProcess } from '../../../host/process/index.ts'
import { type LogHandle, type LogOrigin, type LogWriter, logId } from '../../../programs/logs/index.ts'
import type { SessionRow } from '../../../work/sessions/index.ts'
import { isOwnFolder, type LogLocator, type LogPlaces } from './locator.ts'
import type { LogRole, SessionLogStore } from './log-store.ts'

/** Facts that a session's tracker gives when it claims a log. */
export interface Claimant {
  readonly row: SessionRow
  readonly places: LogPlaces
  /** The conversations and sub-agents whose logs it has. */
  readonly keys: ReadonlySet<string>
  readonly hasMain: boolean
  /** True if the log was written just now. */
  readonly isWriting: boolean
}

/** The part that a log has in the conversation of a session. */
export interface Claim {
  readonly role: LogRole
  /** Records before this time are not the session's; 0 when all are. */
  readonly since: number
}

/** A record may be this much older than the notice of it. */
const NOTICE_MS = 3_000
const MAX_ORIGINS = 1000
/** Minimum bytes of a turn. A session that returns to an older log writes less to it than the log has. */
const RESUMED_BYTES = 512

/**
 * Decides which session a log belongs to, by the best evidence there is: what the program reported, the process that
 * holds the conversation, the sub-agent's parent, the first prompt, or that no other session could have written it.
 */
export class LogOwners {
  /** The running session of each log. */
  readonly #owners = new Map<string, string>()
  /** Parsed beginnings of logs that belong to no session yet. */
  readonly #origins = new Map<string, LogOrigin>()
  readonly #meter = new WriteMeter()

  constructor(
    private readonly locator: Pick<LogLocator, 'rivals' | 'greeting'>,
    private readonly store: SessionLogStore,
    private readonly now: () => number,
  ) {}

  set(session: string, log: LogHandle): void {
    this.#owners.set(logId(log), session)
    this.#origins.delete(logId(log))
  }

  /** The running session that has a log. */
  ownerOf(log: LogHandle): string | undefined {
    return this.#owners.get(logId(log))
  }

  /** Marks a session whose later writes can be new logs. */
  noteWrites(row: SessionRow): void {
    this.#meter.note(row, this.now())
  }

  forgetWrites(session: string): void {
    this.#meter.forget(session)
  }

  release(session: string, log: LogHandle): void {
    if (this.ownerOf(log) === session) this.#owners.delete(logId(log))
  }

  /** The part of a log in the claimant's conversation; undefined when it is not, or not yet known to be, its own. */
  decide(claimant: Claimant, log: LogHandle): Claim | undefined {
    const { row, places, keys } = claimant
    if (log.key === '') return undefined
    if (row.sessionKey === log.key) return { role: 'main', since: this.#sinceOf(claimant, log) }
    if ((this.ownerOf(log) ?? row.id) !== row.id) return undefined
    const origin = this.#originOf(log)
    if (origin.parent !== undefined) return keys.has(origin.parent) ? { role: 'side', since: 0 } : undefined
    if (!isOwnFolder(origin, places.search)) return undefined
    const writers = runningWriters(places, log)
    if (writers.length > 0) return writers.some((one) => belongsTo(one, row)) ? this.#own(claimant, log) : undefined
    if (!claimant.isWriting && this.store.ownersOf(log).length > 0) return undefined
    return this.#byPrompt(claimant, log)
  }

  #byPrompt(claimant: Claimant, log: LogHandle): Claim | undefined {
    const { row, places, isWriting } = claimant
    const prompt = log.firstPrompt()
    if (prompt.includes(this.locator.greeting(row))) return this.#own(claimant, log)
    const rivals = this.locator.rivals(row, places, isWriting)
    if (rivals.some((rival) => rival.sessionKey === log.key || prompt.includes(this.locator.greeting(rival))))
      return undefined
    if (rivals.length === 0) return this.#own(claimant, log)
    const writer = isWriting ? this.#writerOf([row, ...rivals], claimant, log) : undefined
    if (writer) return writer === row ? this.#own(claimant, log) : undefined
    if (prompt === '') return undefined
    return likeliest([row, ...rivals], log.createdAt()) === row ? { role: 'uncertain', since: 0 } : undefined
  }

  /** The only session that can have written a log just now, by what its processes wrote. */
  #writerOf(rows: readonly SessionRow[], { places }: Claimant, log: LogHandle): SessionRow | undefined {
    const isNew = log.createdAt() >= places.search.startedAfter
    return this.#meter.writerOf(
      rows,
      Math.min(log.size(), RESUMED_BYTES),
      isNew ? log.createdAt() : this.now() - NOTICE_MS,
    )
  }

  /** A command that an agent runs in its shell is not part of the agent's own conversation. */
  #own(claimant: Claimant, log: LogHandle): Claim {
    const role = claimant.hasMain && this.#originOf(log).isCommand ? 'side' : 'main'
    return { role, since: this.#sinceOf(claimant, log) }
  }

  /** Start of a session's own part of a conversation that began before it. */
  #sinceOf({ row, places, isWriting }: Claimant, log: LogHandle): number {
    if (log.createdAt() >= places.search.startedAfter || this.#isResumed(row, log)) return 0
    return isWriting ? this.now() - NOTICE_MS : places.search.startedAfter
  }

  /** True if the session began this conversation in an earlier run. */
  #isResumed(row: SessionRow, log: LogHandle): boolean {
    if (log.createdAt() >= row.createdAt - NOTICE_MS && row.sessionKey === log.key) return true
    return this.store.of(row.id).some(({ path, key, since }) => path === log.path && key === log.key && since === 0)
  }

  #originOf(log: LogHandle): LogOrigin {
    const known = this.#origins.get(logId(log))
    if (known) return known
    const origin = log.origin()
    if (this.#origins.size >= MAX_ORIGINS) this.#origins.clear()
    if (origin.folder !== undefined) this.#origins.set(logId(log), origin)
    return origin
  }
}

/** The processes that hold a conversation now. Another one may have got the number of one that ended. */
const runningWriters = ({ finder, search }: LogPlaces, { key }: LogHandle): LogWriter[] =>
  (finder.writers?.(search, key) ?? []).filter(({ pid, started }) => {
    const running = readProcess(pid)
    return running !== undefined && (started === undefined || running.started.endsWith(`.${started}`))
  })

const belongsTo = ({ pid }: LogWriter, row: SessionRow): boolean =>
  row.pid !== null && (pid === row.pid || isDescendantOf(pid, row.pid))

/** The session that started last before a log was created: each log is counted for one of them. */
function likeliest(rows: readonly SessionRow[], createdAt: number): SessionRow | undefined {
  const rank = ({ wokeAt }: SessionRow) => ((wokeAt ?? 0) <= createdAt ? (wokeAt ?? 0) : -(wokeAt ?? 0))
  return [...rows].sort((a, b) => rank(b) - rank(a) || a.id.localeCompare(b.id))[0]
}

/** Usage counted for a session at a time. */
interface Sample {
  readonly at: number
  readonly bytes: number
}

/** A log is noticed sooner after it was begun. */
const KEPT_MS = 10_000
/** The times of files lag behind those of the clock. */
const FILE_TIME_LAG_MS = 20
/** Processes below the first one of a session that are looked at. */
const MAX_PROCESSES = 20

/**
 * Finds which of several sessions just wrote a file, by what the system counts for their processes. Linux only;
 * elsewhere nothing is known.
 */
class WriteMeter {
  /** Number of bytes the processes of a session had written when its logs were read lately. */
  readonly #samples = new Map<string, Sample[]>()

  note(row: SessionRow, at: number): void {
    const bytes = writtenBytes(row)
    if (bytes === undefined) return
    const samples = this.#samples.get(row.id) ?? []
    const firstKept = Math.max(
      0,
      samples.findLastIndex((sample) => sample.at < at - KEPT_MS),
    )
    this.#samples.set(row.id, [...samples.slice(firstKept), { at, bytes }])
  }

  forget(session: string): void {
    this.#samples.delete(session)
  }

  /** The only one of these sessions that wrote so much since a time; undefined when there is no such one. */
  writerOf(rows: readonly SessionRow[], bytes: number, since: number): SessionRow | undefined {
    // What is not known of a session does not clear it.
    const written = rows.map((row) => ({ row, bytes: this.#writtenSince(row, since) }))
    const able = written.filter((one) => one.bytes === undefined || one.bytes >= bytes)
    return able.length === 1 && able[0]?.bytes !== undefined ? able[0].row : undefined
  }

  #writtenSince(row: SessionRow, since: number): number | undefined {
    const before = this.#samples.get(row.id)?.findLast(({ at }) => at <= since - FILE_TIME_LAG_MS)
    const now = writtenBytes(row)
    return before === undefined || now === undefined ? undefined : now - before.bytes
  }
}

/** The bytes that a session's processes have written so far; undefined when the system does not tell. */
function writtenBytes({ pid }: SessionRow): number | undefined {
  if (pid === null || process.platform !== 'linux') return undefined
  const family = [pid]
  for (const one of family) {
    if (family.length < MAX_PROCESSES) family.push(...childrenOf(one).slice(0, MAX_PROCESSES - family.length))
  }
  const counts = family.map((one) => /^wchar: (\d+)$/m.exec(readText(`/proc/${one}/io`) ?? '')?.[1])
  return counts[0] === undefined ? undefined : counts.reduce((sum, count) => sum + Number(count ?? 0), 0)
}

const childrenOf = (pid: number): number[] =>
  (readText(`/proc/${pid}/task/${pid}/children`) ?? '').split(' ').filter(Boolean).map(Number)
