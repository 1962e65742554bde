import type { Clock } from '../../../core/clock.ts'
import type { Deadlines } from '../../../core/deadlines.ts'
import { errorMessage } from '../../../core/errors.ts'
import type { Store, Tx } from '../../../core/store.ts'
import type { SseFrame } from '../../../http/sse.ts'
import type { AgentOutput } from '../../agents/schema.ts'
import type { SessionRepository } from '../../sessions/repository.ts'
import { isRunning } from '../../sessions/running.ts'
import type { SubAgent } from '../../sessions/schema.ts'
import type { SessionRow } from '../../sessions/table.ts'
import type { Entry } from '../entries/entry.ts'
import type { FilePosition, LogReader, LogSnapshot } from '../entries/log-reader.ts'
import type { LogStatus } from '../entries/status.ts'
import type { TranscriptOptions } from '../formats/options.ts'
import type { PageRequest } from '../formats/page.ts'
import { prepareBlocks, toAgentOutput, toTranscript } from '../formats/transcript.ts'
import { ConversationLog, type ConversationPart } from '../logs/conversation-log.ts'
import type { LogHandle } from '../logs/finder.ts'
import { listSubAgents, openSubAgent, readSubAgent, type SubAgentLogs } from '../logs/sub-agents.ts'
import type { Transcript, TranscriptFormat } from '../structured/transcript.ts'
import { FileWatcher } from './file-watcher.ts'
import { type FollowOptions, followAgentOutput, followLog } from './follow.ts'
import type { LogLocator } from './locator.ts'
import { type CachedLogHandle, LogCache } from './log-cache.ts'
import type { SessionLogStore } from './log-store.ts'
import { LogTracker, type OwnLog } from './log-tracker.ts'
import { LogOwners } from './owners.ts'
import { QuestionMonitor, type QuestionMonitorOptions } from './question-monitor.ts'

export interface SessionLogsOptions extends QuestionMonitorOptions, Pick<FollowOptions, 'asked'> {
  store: Store
  sessionRepository: SessionRepository
  locator: Pick<LogLocator, 'find' | 'places' | 'rivals' | 'greeting'>
  logStore: SessionLogStore
  /** The log of a session whose program is talked to by protocol: it is no file. */
  findRecords(row: SessionRow): LogHandle | undefined
  clock: Clock
  deadlines: Deadlines
  /** Stores the program's own id of a session's conversation. */
  saveKey(tx: Tx, row: SessionRow, key: string): void
  report(message: string): void
}

/** What was read of a log. */
export interface LogReading {
  readonly log: LogHandle
  /** Records before this time are not the session's; 0 when all are. */
  readonly since: number
  readonly snapshot: LogSnapshot
  readonly position: FilePosition | undefined
}

type ReadListener = (row: SessionRow, reading: LogReading) => void

/** How soon after a change of sessions the trackers are updated. */
const UPDATE_DELAY_MS = 50

/** The logs that the programs of a city's sessions write. */
export class SessionLogs {
  readonly #trackers = new Map<string, LogTracker>()
  readonly #closing = new Set<Promise<void>>()
  readonly #readListeners = new Set<ReadListener>()
  readonly #owners: LogOwners
  readonly #follow: FollowOptions
  readonly #watcher: FileWatcher
  #unsubscribe = () => {}
  #nextUpdate: { cancel(): void } | undefined
  #isStopped = true

  constructor(private readonly options: SessionLogsOptions) {
    const { locator, logStore, clock } = options
    this.#owners = new LogOwners(locator, logStore, () => clock.now())
    this.#watcher = new FileWatcher(options.deadlines)
    this.#follow = { ...options, cache: new LogCache(options.deadlines), watcher: this.#watcher }
  }

  /** Tracks the logs of running sessions from now on. */
  start(): void {
    this.#isStopped = false
    this.#unsubscribe = this.options.sessionRepository.onChange(() => this.#scheduleUpdate())
    this.#updateTrackers()
    this.#finishEnded()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#unsubscribe()
    this.#nextUpdate?.cancel()
    for (const tracker of this.#trackers.values()) this.#closeTracker(tracker, false)
    this.#trackers.clear()
    await Promise.all(this.#closing)
    this.#follow.cache.close()
    this.#watcher.close()
  }

  /** Calls the listener whenever a tracked log has grown. */
  onRead(listener: ReadListener): void {
    this.#readListeners.add(listener)
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

  /** Tells a reader of the session's stream what it asks; `notify` is called when that changes. */
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
    const unsubscribes = [
      this.options.sessionRepository.onChange(check),
      this.#trackers.get(row.id)?.subscribe(check) ?? (() => {}),
    ]
    try {
      yield* screen(AbortSignal.any([signal, appeared.signal]))
    } finally {
      for (const unsubscribe of unsubscribes) unsubscribe()
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
  async subAgentTranscript(row: SessionRow, id: string): Promise<Transcript | undefined> {
    return this.#read(row, async (reader) => {
      const log = openSubAgent(this.#subAgentLogs(row), reader, id)
      if (!log) return undefined
      try {
        await log.refresh()
        await prepareBlocks(log)
        return toTranscript(row, log, { format: 'conversation', thinking: false }, {}, () => [])
      } finally {
        log.close()
      }
    })
  }

  /** Resolves when every tracked log has been read to its current end. */
  async readAll(): Promise<void> {
    this.#updateTrackers()
    await Promise.all([...this.#trackers.values()].map((tracker) => tracker.updateAll()))
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

  #scheduleUpdate(): void {
    this.#nextUpdate ??= this.options.deadlines.after(UPDATE_DELAY_MS, () => this.#updateTrackers())
  }

  /** Starts and stops trackers as sessions start and end. */
  #updateTrackers(): void {
    this.#nextUpdate?.cancel()
    this.#nextUpdate = undefined
    if (this.#isStopped) return
    const running = new Map(
      this.options.sessionRepository.live().flatMap((row) => (isRunning(row) ? [[row.id, row]] : [])),
    )
    for (const [id, tracker] of this.#trackers) {
      const row = running.get(id)
      if (row?.generation !== tracker.row.generation) this.#stopTracker(id, tracker)
      else {
        const isNamed = row.sessionKey !== null && row.sessionKey !== tracker.row.sessionKey
        tracker.row = row
        if (isNamed && !tracker.hasKey(row.sessionKey ?? '')) void tracker.updateAll()
      }
    }
    for (const [id, row] of running) if (!this.#trackers.has(id)) this.#startTracker(id, row)
  }

  #startTracker(id: string, row: SessionRow): void {
    const tracker = this.#createTracker(row)
    this.#trackers.set(id, tracker)
    this.#write(id, (tx) => this.options.logStore.setOpen(tx, id, true))
    void tracker.update()
  }

  #createTracker(row: SessionRow): LogTracker {
    const { locator, logStore, clock, report, findRecords } = this.options
    const tracker = new LogTracker(
      {
        places: (session) => (findRecords(session) ? undefined : locator.places(session)),
        findRecords,
        stored: ({ id }) => logStore.of(id),
        decide: (claimant, log) => this.#owners.decide(claimant, log),
        onLooked: (session) => this.#owners.noteWrites(session),
        watchFolder: (path, listener) => this.#watcher.watchFolder(path, listener),
        watchLog: (reader, listener) => this.#watcher.watchLog(reader, listener),
        onFound: (session, log) => this.#claim(session, log),
        onCurrent: (session, { handle }) => this.#saveKey(session, handle),
        onClosed: (session, logs, hasEnded) => this.#onClosed(session, logs, hasEnded),
        positionOf: ({ id }, log) => logStore.positionOf(id, log),
        onRead: (session, { handle: log, since }, { snapshot, position }) => {
          for (const listener of this.#readListeners) listener(session, { log, since, snapshot, position })
        },
        now: () => clock.now(),
        report: (error) => report(`a log of session ${row.id} could not be read: ${errorMessage(error)}`),
      },
      row,
    )
    for (const { handle, role } of tracker.logs) if (role !== 'uncertain') this.#owners.set(row.id, handle)
    return tracker
  }

  /** Reads what the programs wrote of sessions that ended while nobody read it. */
  #finishEnded(): void {
    const { logStore, sessionRepository } = this.options
    for (const id of logStore.open()) {
      const row = sessionRepository.find(id)
      if (row && !this.#trackers.has(id)) this.#closeTracker(this.#createTracker(row), true)
      if (!row) this.#write(id, (tx) => logStore.setOpen(tx, id, false))
    }
  }

  #stopTracker(id: string, tracker: LogTracker): void {
    this.#trackers.delete(id)
    this.#closeTracker(tracker, true)
  }

  #closeTracker(tracker: LogTracker, hasEnded: boolean): void {
    const closing = tracker.close(hasEnded).finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
  }

  #onClosed({ id }: SessionRow, logs: readonly OwnLog[], hasEnded: boolean): void {
    const hasNext = this.#trackers.has(id)
    if (!hasNext) {
      for (const { handle } of logs) this.#owners.release(id, handle)
      this.#owners.forgetWrites(id)
    }
    if (hasEnded && !hasNext) this.#write(id, (tx) => this.options.logStore.setOpen(tx, id, false))
  }

  /** A log belongs to a session from now on, whichever had it before. */
  #claim({ id }: SessionRow, { handle, role, since }: OwnLog): void {
    const before = this.#owners.ownerOf(handle)
    this.#owners.set(id, handle)
    const { path, key } = handle
    const { logStore, clock } = this.options
    if (before !== undefined && before !== id) void this.#trackers.get(before)?.release(handle)
    this.#write(id, (tx) => {
      if (before !== undefined && before !== id) logStore.release(tx, before, handle)
      if (this.options.sessionRepository.find(id)) logStore.claim(tx, id, { path, key, role, since }, clock.now())
    })
  }

  /** The conversation that the next start of the session resumes. */
  #saveKey({ id }: SessionRow, { key }: LogHandle): void {
    const isOwn = (known: string) => this.#trackers.get(id)?.logs.some(({ handle }) => handle.key === known) ?? false
    this.#write(id, (tx) => {
      const row = this.options.sessionRepository.find(id)
      if (key === '' || !row || row.state === 'closed' || row.sessionKey === key) return
      if (row.sessionKey === null || isOwn(row.sessionKey)) this.options.saveKey(tx, row, key)
    })
  }

  #write(id: string, change: (tx: Tx) => void): void {
    const { store, report } = this.options
    store.write(change).catch((error) => report(`the logs of session ${id} could not be saved: ${errorMessage(error)}`))
  }
}

/** An entry of a conversation, or of a sub-agent's. */
export interface SpokenEntry {
  readonly entry: Entry
  /** Unique in the session. */
  readonly id: string
  /** The sub-agent; undefined for the session's own conversation. */
  readonly agent: string | undefined
}

/** What a conversation does not show comes first. */
function ownEntries({ entries, recorded }: LogSnapshot): SpokenEntry[] {
  const shown = new Set(entries)
  const hidden = recorded.filter((entry) => !shown.has(entry))
  return [...hidden, ...entries].map((entry) => ({ entry, id: entry.id, agent: undefined }))
}

/** Of the logs of sub-agents, the newest are searched, together up to this size. */
const SEARCHED_SIDE_BYTES = 16 * 1024 * 1024
const SEARCHED_SIDE_WINDOW = 2 * 1024 * 1024
const SEARCHED_SIDES = 200

async function readSides(logs: readonly OwnLog[]): Promise<SpokenEntry[]> {
  const sides = logs.filter(({ role }) => role !== 'main').slice(-SEARCHED_SIDES)
  const found: SpokenEntry[][] = []
  let rest = SEARCHED_SIDE_BYTES
  for (const { handle, role } of sides.reverse()) {
    if (rest <= 0) break
    const bytes = Math.min(rest, SEARCHED_SIDE_WINDOW)
    const reader = handle.open({ windowBytes: bytes, keepBytes: bytes, skipsToEnd: true })
    try {
      await reader.refresh()
      await prepareBlocks(reader)
      const agent = role === 'side' ? handle.key : undefined
      found.unshift(reader.snapshot.recorded.map((entry) => ({ entry, id: `${handle.key}:${entry.id}`, agent })))
      rest -= Math.min(rest, reader.position?.offset ?? bytes)
    } finally {
      reader.close()
    }
  }
  return found.flat()
}
