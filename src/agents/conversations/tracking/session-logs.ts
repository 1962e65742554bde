import type { Tx } from '../../../core/store.ts'
import type { SseFrame } from '../../../http/sse.ts'
import type { AgentOutput } from '../../agents/schema.ts'
import { isRunning } from '../../sessions/running.ts'
import type { SubAgent } from '../../sessions/schema.ts'
import type { SessionRow } from '../../sessions/table.ts'
import type { FilePosition, LogReader } from '../entries/log-reader.ts'
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
import { LogTrackers, type LogTrackersOptions, type ReadListener } from './log-trackers.ts'
import { QuestionMonitor, type QuestionMonitorOptions } from './question-monitor.ts'
import { ownEntries, readSides, type SpokenEntry } from './spoken-entries.ts'
import type { OwnLog } from './tracked-log.ts'

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

  constructor(private readonly options: SessionLogsOptions) {
    this.#watcher = new FileWatcher(options.deadlines)
    this.#trackers = new LogTrackers({ ...options, watcher: this.#watcher })
    this.#follow = { ...options, cache: new LogCache(options.deadlines), watcher: this.#watcher }
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
