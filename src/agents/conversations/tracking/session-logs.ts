import type { CityContext } from '../../../core/city-context.ts'
import type { Deadline, Deadlines } from '../../../core/deadlines.ts'
import { unsubscriber } from '../../../core/signal.ts'
import type { Tx } from '../../../core/store/index.ts'
import type { SseFrame } from '../../../http/sse.ts'
import type { Entry } from '../../../programs/entries/index.ts'
import { type LogStatus, statusOf } from '../../../programs/log-status.ts'
import type { FilePosition, LogHandle, LogReader, LogReaderOptions } from '../../../programs/logs/index.ts'
import {
  isRunning,
  type PendingInteraction,
  type SessionRepository,
  type SessionRow,
  type SubAgent,
} from '../../../work/sessions/index.ts'
import { createFrameFormatter } from '../formats/frames.ts'
import { sessionFields, type TranscriptOptions } from '../formats/options.ts'
import { type PageRequest, paginate } from '../formats/page.ts'
import { prepareBlocks, toAgentOutput, toTranscript } from '../formats/transcript.ts'
import { isTurn, toTurn } from '../formats/turns.ts'
import type { AgentOutput, Transcript, TranscriptFormat } from '../schema.ts'
import type { Message } from '../structured/messages.ts'
import { ConversationLog, type ConversationPart } from './conversation-log.ts'
import { FileWatcher } from './file-watcher.ts'
import type { LogLocator } from './locator.ts'
import { LogTrackers, type LogTrackersOptions, type ReadListener } from './log-trackers.ts'
import { SharedLog } from './shared-log.ts'
import { ownEntries, readSides, type SpokenEntry } from './spoken-entries.ts'
import { listSubAgents, openSubAgent, readSubAgent, type SubAgentLogs } from './sub-agents.ts'
import type { OwnLog } from './tracked-log.ts'
import { Wakeup } from './wakeup.ts'

export interface SessionLogsOptions
  extends Omit<LogTrackersOptions, 'watcher'>,
    QuestionMonitorOptions,
    Pick<FollowOptions, 'asked'> {
  locator: Pick<LogLocator, 'find' | 'places' | 'rivals' | 'greeting'>
}

/** The logs that the programs of a city's sessions write. */
export class SessionLogs {
  readonly #trackers: LogTrackers
  readonly #follow: FollowOptions
  readonly #watcher: FileWatcher

  constructor(
    context: CityContext,
    private readonly options: SessionLogsOptions,
  ) {
    this.#watcher = new FileWatcher(context.deadlines)
    this.#trackers = new LogTrackers(context, { ...options, watcher: this.#watcher })
    this.#follow = { ...options, cache: new LogCache(context.deadlines), watcher: this.#watcher }
  }

  /** Tracks the logs of running sessions from now on. */
  start(): void {
    this.#trackers.start()
  }

  async stop(): Promise<void> {
    await this.#trackers.stop()
    this.#follow.cache.close()
    this.#watcher.close()
  }

  /** Calls the listener whenever a tracked log has grown. */
  onRead(listener: ReadListener): void {
    this.#trackers.onRead(listener)
  }

  /** Stores up to which position the usage in a log was counted. */
  savePosition(tx: Tx, { id }: SessionRow, log: LogHandle, position: FilePosition): void {
    this.options.logStore.savePosition(tx, id, log, position)
  }

  /** The status of a running session by its log. */
  status(id: string): LogStatus | undefined {
    return this.#trackers.get(id)?.status
  }

  hasLog(row: SessionRow): boolean {
    return this.#find(row) !== undefined
  }

  /**
   * The entries of a session's conversation, also of branches that it does not show and of its sub-agents; undefined
   * when it has no log. Those of the conversation come last.
   */
  async entries(row: SessionRow): Promise<readonly SpokenEntry[] | undefined> {
    const entries = await this.#read<readonly SpokenEntry[]>(row, ({ snapshot }) => ownEntries(snapshot))
    const others = await readSides(this.#logsOf(row))
    return entries || others.length > 0 ? [...others, ...(entries ?? [])] : undefined
  }

  /** The transcript of a session; undefined when it has no log. */
  transcript(
    row: SessionRow,
    options: Omit<TranscriptOptions, 'after'>,
    page: PageRequest,
  ): Promise<Transcript | undefined> {
    return this.#read(row, (reader) => toTranscript(row, reader, options, page, () => this.options.asked(row)))
  }

  output(agent: string, row: SessionRow, page: PageRequest): Promise<AgentOutput | undefined> {
    return this.#read(row, (reader) => toAgentOutput(agent, reader, page))
  }

  /** The frames of a session's log; undefined when it has none. */
  frames(row: SessionRow, options: TranscriptOptions, signal: AbortSignal): AsyncIterable<SseFrame> | undefined {
    const handle = this.#find(row)
    return handle && followLog(this.#follow, row, handle, options, signal)
  }

  /** Sends a reader of the session's stream its question; `notify` is called when that changes. */
  monitorQuestions(row: SessionRow, format: TranscriptFormat, notify: () => void): QuestionMonitor {
    return new QuestionMonitor(this.options, row, format, notify)
  }

  followOutput(agent: string, row: SessionRow, signal: AbortSignal): AsyncIterable<AgentOutput> | undefined {
    const handle = this.#find(row)
    return handle && followAgentOutput(this.#follow, agent, row, handle, signal)
  }

  /** The frames of a screen until the session's log appears, then those of the log. */
  async *screenThenLog(
    row: SessionRow,
    options: TranscriptOptions,
    signal: AbortSignal,
    screen: (signal: AbortSignal) => AsyncIterable<SseFrame>,
  ): AsyncGenerator<SseFrame, void, void> {
    const appeared = new AbortController()
    const check = () => this.hasLog(row) && appeared.abort()
    const unsubscribe = unsubscriber(
      this.options.sessionRepository.onChange(check),
      this.#trackers.get(row.id)?.subscribe(check) ?? (() => {}),
    )
    try {
      yield* screen(AbortSignal.any([signal, appeared.signal]))
    } finally {
      unsubscribe()
    }
    const handle = appeared.signal.aborted ? this.#find(row) : undefined
    if (handle) yield* followLog(this.#follow, row, handle, options, signal, true)
  }

  async subAgents(row: SessionRow) {
    return { agents: (await this.#read(row, (reader) => listSubAgents(this.#subAgentLogs(row), reader))) ?? [] }
  }

  /** The conversation of an agent that a session's agent started; undefined when it is not known. */
  async subAgent(row: SessionRow, id: string): Promise<SubAgent | undefined> {
    return this.#read(row, (reader) => readSubAgent(this.#subAgentLogs(row), reader, id, isRunning(row)))
  }

  /** The transcript of a sub-agent; undefined when it is not known. */
  async subAgentTranscript(row: SessionRow, id: string, format: TranscriptFormat): Promise<Transcript | undefined> {
    return this.#read(row, async (reader) => {
      const log = openSubAgent(this.#subAgentLogs(row), reader, id)
      if (!log) return undefined
      try {
        await log.refresh()
        await prepareBlocks(log)
        return toTranscript(row, log, { format, thinking: false }, {}, () => [])
      } finally {
        log.close()
      }
    })
  }

  /** Resolves when every tracked log has been read to its current end. */
  readAll(): Promise<void> {
    return this.#trackers.readAll()
  }

  /** The conversation of a session, which may be in several logs; undefined when it has none. */
  #find(row: SessionRow): CachedLogHandle | undefined {
    const records = this.options.findRecords(row)
    if (records) return { id: records.path, open: (bounds) => records.open(bounds) }
    const parts = () => this.#partsOf(row)
    if (parts().length === 0) return undefined
    const onPart = (listener: () => void) => this.#trackers.get(row.id)?.subscribe(listener) ?? (() => {})
    return { id: row.id, open: (bounds) => new ConversationLog(parts, onPart, bounds) }
  }

  #partsOf(row: SessionRow): ConversationPart[] {
    const mains = this.#logsOf(row).filter(({ role }) => role === 'main')
    const first = mains.length === 0 ? this.options.locator.find(row) : undefined
    return first ? [{ handle: first, since: 0 }] : mains
  }

  /** The logs of a session, as its tracker knows them, or as they are stored. */
  #logsOf(row: SessionRow): readonly OwnLog[] {
    const tracker = this.#trackers.get(row.id)
    if (tracker) return tracker.logs
    const finder = this.options.locator.places(row)?.finder
    if (!finder) return []
    return this.options.logStore.of(row.id).map(({ path, key, role, since }) => {
      return { handle: finder.handle(path, key, role === 'side'), role, since }
    })
  }

  #subAgentLogs(row: SessionRow): SubAgentLogs {
    const sides = this.#logsOf(row).filter(({ role }) => role === 'side')
    return { conversations: this.#partsOf(row).map(({ handle }) => handle), sides: sides.map(({ handle }) => handle) }
  }

  async #read<T>(row: SessionRow, use: (reader: LogReader) => T | Promise<T>): Promise<T | undefined> {
    const handle = this.#find(row)
    if (!handle) return undefined
    const { log, release } = this.#follow.cache.acquire(handle)
    try {
      await log.refresh()
      await prepareBlocks(log.reader)
      return await use(log.reader)
    } finally {
      release()
    }
  }
}

interface FollowOptions extends QuestionMonitorOptions {
  sessionRepository: Pick<SessionRepository, 'find' | 'onChange'>
  cache: LogCache
  watcher: FileWatcher
  /** Screen questions of a session's program, oldest first. */
  asked(row: SessionRow): readonly Message[]
}

/** Opens a log and a wakeup that is notified when the log or the sessions change. */
function openLog({ cache, watcher, sessionRepository }: FollowOptions, handle: CachedLogHandle, signal: AbortSignal) {
  const { log, release } = cache.acquire(handle)
  const wakeup = new Wakeup(signal)
  const notify = () => wakeup.notify()
  const cleanups = [release, watcher.watchLog(log.reader, notify), sessionRepository.onChange(notify)]
  return {
    reader: log.reader,
    wakeup,
    async refresh(): Promise<void> {
      await log.refresh()
      await prepareBlocks(log.reader)
    },
    [Symbol.dispose]() {
      for (const cleanup of cleanups) cleanup()
    },
  }
}

/** The frames of a log until the client disconnects or the session is closed. */
async function* followLog(
  follow: FollowOptions,
  row: SessionRow,
  handle: CachedLogHandle,
  options: TranscriptOptions,
  signal: AbortSignal,
  replacesScreen = false,
): AsyncGenerator<SseFrame, void, void> {
  const { format } = options
  using log = openLog(follow, handle, signal)
  using questions =
    format === 'conversation' ? undefined : new QuestionMonitor(follow, row, format, () => log.wakeup.notify())
  const formatter = createFrameFormatter(row, options, () => follow.asked(row), replacesScreen)
  let lastActivity: string | undefined
  if (format === 'raw' && !replacesScreen) {
    yield { event: 'message', data: { ...sessionFields(row), format: 'raw', messages: [] } }
  }
  while (!signal.aborted) {
    await log.refresh()
    for (const frame of formatter.frames(log.reader)) {
      questions?.onProgress()
      yield frame
    }
    const current = follow.sessionRepository.find(row.id)
    const isClosed = current === undefined || current.state === 'closed'
    const activity = isClosed ? 'idle' : statusOf(log.reader.snapshot).activity
    if (activity !== undefined && (activity !== lastActivity || isClosed)) {
      lastActivity = activity
      yield { ...formatter.nextId(), event: 'activity', data: { activity } }
    }
    if (isClosed) return
    if (questions) yield* questions.frames(lastActivity, () => formatter.nextId())
    await log.wakeup.wait()
  }
}

/** The newest segment of a log as an agent's output, then each new turn once. */
async function* followAgentOutput(
  follow: FollowOptions,
  agent: string,
  row: SessionRow,
  handle: CachedLogHandle,
  signal: AbortSignal,
): AsyncGenerator<AgentOutput, void, void> {
  using log = openLog(follow, handle, signal)
  const sent = new Set<string>()
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    await log.refresh()
    const { entries } = log.reader.snapshot
    const isNewTurn = (entry: Entry) => !entry.partial && !sent.has(entry.id) && isTurn(entry)
    const page = paginate(entries, isFirst ? { tail: 1 } : {}, isNewTurn)
    for (const entry of entries) if (!entry.partial) sent.add(entry.id)
    const { pagination } = page
    if (isFirst || page.entries.length > 0) {
      yield { agent, format: 'conversation', turns: page.entries.map(toTurn), ...(pagination && { pagination }) }
    }
    if (follow.sessionRepository.find(row.id)?.state === 'closed') return
    await log.wakeup.wait()
  }
}

interface QuestionMonitorOptions {
  /** Open question of a session's program. */
  pending(row: SessionRow): PendingInteraction | undefined
  /** Calls the listener when a session asks something, or that is answered; returns the unsubscribe function. */
  onAsked(row: SessionRow, listener: () => void): () => void
}

/** Sends the reader of a session's stream the questions of its program, as they come and go. */
class QuestionMonitor {
  #told: string | undefined
  #isDue = true
  #repeats = false
  readonly #unsubscribe: () => void

  constructor(
    private readonly options: QuestionMonitorOptions,
    private readonly row: SessionRow,
    private readonly format: TranscriptFormat,
    notify: () => void,
  ) {
    this.#unsubscribe = options.onAsked(row, () => {
      this.#isDue = true
      notify()
    })
  }

  /** More of the conversation was sent; readers of the raw format take what was asked before for answered by that. */
  onProgress(): void {
    if (this.format === 'raw') this.#isDue = this.#repeats = true
  }

  /** The frames about a question that came up or went away. */
  frames(activity: string | undefined, nextId: () => { id?: string }): SseFrame[] {
    if (!this.#isDue) return []
    this.#isDue = false
    const now = this.options.pending(this.row)
    const before = this.#told
    const isKnown = now?.request_id === before && !this.#repeats
    this.#told = now?.request_id
    this.#repeats = false
    if (now) return isKnown ? [] : [{ ...nextId(), event: 'pending', data: now }]
    if (before === undefined) return []
    const resumed = { ...nextId(), event: 'activity', data: { activity: activity ?? 'in-turn' } }
    return this.format === 'raw' ? [resumed] : [{ event: 'pending_cleared', data: { request_id: before } }, resumed]
  }

  [Symbol.dispose](): void {
    this.#unsubscribe()
  }
}

/** A conversation that can be opened. */
interface CachedLogHandle {
  /** Names it among all. */
  readonly id: string
  open(bounds: LogReaderOptions): LogReader
}

interface CachedLog {
  readonly key: string
  readonly log: SharedLog
  readers: number
  eviction: Deadline | undefined
}

/** Options that read only the newest part of a large log. */
const READER_OPTIONS = { windowBytes: 16 * 1024 * 1024, keepBytes: 16 * 1024 * 1024, skipsToEnd: true }
/** Time a log without readers stays open, since anyone who reads one page often reads the next. */
const IDLE_MS = 30_000
const MAX_IDLE_LOGS = 4

/** Logs that are open for readers, shared between them. */
class LogCache {
  readonly #logs = new Map<string, CachedLog>()

  constructor(private readonly deadlines: Deadlines) {}

  /** Opens a log, or shares the one that is open; `release` must be called when it is not read any more. */
  acquire(handle: CachedLogHandle): { log: SharedLog; release: () => void } {
    const { id: key } = handle
    const cached = this.#logs.get(key) ?? this.#open(key, handle)
    cached.readers++
    cached.eviction?.cancel()
    cached.eviction = undefined
    let isReleased = false
    const release = () => {
      if (isReleased) return
      isReleased = true
      cached.readers--
      if (cached.readers === 0) this.#scheduleEviction(cached)
    }
    return { log: cached.log, release }
  }

  close(): void {
    for (const cached of this.#logs.values()) this.#evict(cached)
  }

  #open(key: string, handle: CachedLogHandle): CachedLog {
    const log = new SharedLog(handle.open(READER_OPTIONS))
    const cached: CachedLog = { key, log, readers: 0, eviction: undefined }
    this.#logs.set(key, cached)
    return cached
  }

  /** Closes the idle logs that were opened first, if too many are open. */
  #scheduleEviction(cached: CachedLog): void {
    cached.eviction = this.deadlines.after(IDLE_MS, () => this.#evict(cached))
    const idle = [...this.#logs.values()].filter(({ readers }) => readers === 0)
    for (const log of idle.slice(0, Math.max(0, idle.length - MAX_IDLE_LOGS))) this.#evict(log)
  }

  #evict(cached: CachedLog): void {
    cached.eviction?.cancel()
    this.#logs.delete(cached.key)
    void cached.log.close()
  }
}
