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
import type { LogHandle } from '../logs/log-finders.ts'
import { listSubAgents, readSubAgent } from '../logs/sub-agents.ts'
import type { Transcript, TranscriptFormat } from '../structured/transcript.ts'
import { FileWatcher } from './file-watcher.ts'
import { type FollowOptions, followAgentOutput, followLog } from './follow.ts'
import type { LogLocator } from './locator.ts'
import { LogCache } from './log-cache.ts'
import { LogTracker } from './log-tracker.ts'
import { QuestionMonitor, type QuestionMonitorOptions } from './question-monitor.ts'

export interface SessionLogsOptions extends QuestionMonitorOptions, Pick<FollowOptions, 'asked'> {
  store: Store
  sessionRepository: SessionRepository
  locator: Pick<LogLocator, 'find' | 'directories'>
  deadlines: Deadlines
  /** Stores the program's own id of a session's conversation. */
  saveKey(tx: Tx, row: SessionRow, key: string): void
  report(message: string): void
}

type ReadListener = (row: SessionRow, snapshot: LogSnapshot, position: FilePosition | undefined) => void

/** How soon after a change of sessions the trackers are updated. */
const UPDATE_DELAY_MS = 50

/** The logs that the programs of a city's sessions write. */
export class SessionLogs {
  readonly #trackers = new Map<string, LogTracker>()
  readonly #closing = new Set<Promise<void>>()
  readonly #readListeners = new Set<ReadListener>()
  #positionOf: (row: SessionRow) => FilePosition | undefined = () => undefined
  readonly #follow: FollowOptions
  readonly #watcher: FileWatcher
  #unsubscribe = () => {}
  #nextUpdate: { cancel(): void } | undefined
  #isStopped = true

  constructor(private readonly options: SessionLogsOptions) {
    this.#watcher = new FileWatcher(options.deadlines)
    this.#follow = { ...options, cache: new LogCache(options.deadlines), watcher: this.#watcher }
  }

  /** Tracks the logs of running sessions from now on. */
  start(): void {
    this.#isStopped = false
    this.#unsubscribe = this.options.sessionRepository.onChange(() => this.#scheduleUpdate())
    this.#updateTrackers()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#unsubscribe()
    this.#nextUpdate?.cancel()
    for (const tracker of this.#trackers.values()) this.#closeTracker(tracker)
    this.#trackers.clear()
    await Promise.all(this.#closing)
    this.#follow.cache.close()
    this.#watcher.close()
  }

  /** Calls the listener whenever a tracked log has grown. */
  onRead(listener: ReadListener): void {
    this.#readListeners.add(listener)
  }

  /** Where an earlier reader of a session's log stopped. */
  resumeFrom(positionOf: (row: SessionRow) => FilePosition | undefined): void {
    this.#positionOf = positionOf
  }

  /** The status of a running session by its log. */
  status(id: string): LogStatus | undefined {
    return this.#trackers.get(id)?.status
  }

  hasLog(row: SessionRow): boolean {
    return this.#find(row) !== undefined
  }

  /** The entries of a session's log, as far as a transcript shows it; undefined when it has none. */
  entries(row: SessionRow): Promise<readonly Entry[] | undefined> {
    return this.#read(row, ({ snapshot }) => snapshot.entries)
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
    return { agents: (await this.#read(row, (reader, handle) => listSubAgents(handle, reader))) ?? [] }
  }

  /** The conversation of an agent that a session's agent started; undefined when it is not known. */
  async subAgent(row: SessionRow, id: string): Promise<SubAgent | undefined> {
    return this.#read(row, (reader, handle) => readSubAgent(handle, reader, id, isRunning(row)))
  }

  /** Resolves when every tracked log has been read to its current end. */
  async readAll(): Promise<void> {
    this.#updateTrackers()
    await Promise.all([...this.#trackers.values()].map((tracker) => tracker.update()))
  }

  #find(row: SessionRow): LogHandle | undefined {
    return this.#trackers.get(row.id)?.handle ?? this.options.locator.find(row)
  }

  async #read<T>(
    row: SessionRow,
    use: (reader: LogReader, handle: LogHandle) => T | Promise<T>,
  ): Promise<T | undefined> {
    const handle = this.#find(row)
    if (!handle) return undefined
    const { log, release } = this.#follow.cache.acquire(handle)
    try {
      await log.refresh()
      await prepareBlocks(log.reader)
      return await use(log.reader, handle)
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
      if (row?.generation === tracker.row.generation) tracker.row = row
      else this.#stopTracker(id, tracker)
    }
    for (const [id, row] of running) if (!this.#trackers.has(id)) this.#startTracker(id, row)
  }

  #startTracker(id: string, row: SessionRow): void {
    const { locator, report } = this.options
    const tracker = new LogTracker(
      {
        find: (session) => locator.find(session),
        directories: (session) => locator.directories(session),
        watch: (paths, listener) => this.#watcher.watch(paths, listener),
        watchLog: (reader, listener) => this.#watcher.watchLog(reader, listener),
        onFound: (session, handle) => this.#saveKey(session, handle),
        positionOf: (session) => this.#positionOf(session),
        onRead: (session, { snapshot, position }) => {
          for (const listener of this.#readListeners) listener(session, snapshot, position)
        },
        report: (error) => report(`the log of session ${id} could not be read: ${errorMessage(error)}`),
      },
      row,
    )
    this.#trackers.set(id, tracker)
    void tracker.update()
  }

  #stopTracker(id: string, tracker: LogTracker): void {
    this.#trackers.delete(id)
    this.#closeTracker(tracker)
  }

  #closeTracker(tracker: LogTracker): void {
    const closing = tracker.close().finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
  }

  #saveKey({ id }: SessionRow, { key }: LogHandle): void {
    const { store, sessionRepository, report } = this.options
    store
      .write((tx) => {
        const row = sessionRepository.find(id)
        if (key !== '' && row && row.state !== 'closed' && row.sessionKey === null) this.options.saveKey(tx, row, key)
      })
      .catch((error) => report(`the conversation id of session ${id} could not be saved: ${errorMessage(error)}`))
  }
}
