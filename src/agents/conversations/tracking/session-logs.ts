import type { Deadlines } from '../../../core/deadlines.ts'
import { errorMessage } from '../../../core/errors.ts'
import type { Store, Tx } from '../../../core/store.ts'
import type { SseFrame } from '../../../http/sse.ts'
import type { AgentOutput } from '../../agents/schema.ts'
import type { SessionRepository } from '../../sessions/repository.ts'
import { isRunning } from '../../sessions/running.ts'
import type { SubAgent } from '../../sessions/schema.ts'
import type { SessionRow } from '../../sessions/table.ts'
import type { FilePosition, LogReader, LogSnapshot } from '../entries/log-reader.ts'
import type { LogStatus } from '../entries/status.ts'
import type { TranscriptOptions } from '../formats/options.ts'
import type { PageRequest } from '../formats/page.ts'
import { prepareBlocks, toAgentOutput, toTranscript } from '../formats/transcript.ts'
import type { LogHandle } from '../logs/program-logs.ts'
import { listSubAgents, readSubAgent } from '../logs/sub-agents.ts'
import type { Transcript } from '../structured/transcript.ts'
import { Watch } from './file-watcher.ts'
import { type FollowNeeds, logFrames, logOutput } from './follow.ts'
import type { LogLocator } from './locator.ts'
import { Shelf } from './log-cache.ts'
import { Track } from './log-tracker.ts'
import type { AskingNeeds } from './question-monitor.ts'

export interface SessionLogsOptions extends AskingNeeds {
  store: Store
  book: SessionRepository
  locator: Pick<LogLocator, 'find' | 'directories'>
  deadlines: Deadlines
  /** Remembers what a session's program calls its conversation. */
  saveKey(tx: Tx, row: SessionRow, key: string): void
  report(message: string): void
}

type ReadListener = (row: SessionRow, view: LogSnapshot, place: FilePosition | undefined) => void

/** Which of the sessions run is looked at this soon after something about sessions changed. */
const UPDATE_DELAY_MS = 50

/** The logs that the programs of a city's sessions keep themselves. */
export class SessionLogs {
  readonly #trackers = new Map<string, Track>()
  readonly #closing = new Set<Promise<void>>()
  #onRead: ReadListener = () => {}
  #positionOf: (row: SessionRow) => FilePosition | undefined = () => undefined
  readonly #follow: FollowNeeds
  readonly #watcher: Watch
  #unsubscribe = () => {}
  #nextUpdate: { cancel(): void } | undefined
  #stopped = true

  constructor(private readonly options: SessionLogsOptions) {
    this.#watcher = new Watch(options.deadlines)
    this.#follow = { ...options, shelf: new Shelf(options.deadlines), watch: this.#watcher }
  }

  /** Follows the logs of whatever runs, from now on. */
  start(): void {
    this.#stopped = false
    this.#unsubscribe = this.options.book.onChange(() => this.#scheduleUpdate())
    this.#updateTrackers()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#unsubscribe()
    this.#nextUpdate?.cancel()
    for (const track of this.#trackers.values()) this.#closeTracker(track, true)
    this.#trackers.clear()
    await Promise.all(this.#closing)
    this.#follow.shelf.close()
    this.#watcher.close()
  }

  /** Hears what stands in the log of a session whenever it grew; `since` tells up to where it was heard before. */
  onRead(hear: ReadListener, since: (row: SessionRow) => FilePosition | undefined): void {
    this.#onRead = hear
    this.#positionOf = since
  }

  /** How a running session is, by its log. */
  status(id: string): LogStatus | undefined {
    return this.#trackers.get(id)?.standing
  }

  /** Whether there is a log of a session. */
  hasLog(row: SessionRow): boolean {
    return this.#find(row) !== undefined
  }

  /** What a session said, by its log; undefined when it has none. */
  transcript(
    row: SessionRow,
    wanted: Omit<TranscriptOptions, 'after'>,
    page: PageRequest,
  ): Promise<Transcript | undefined> {
    return this.#read(row, (reader) => toTranscript(row, reader, wanted, page))
  }

  output(agent: string, row: SessionRow, page: PageRequest): Promise<AgentOutput | undefined> {
    return this.#read(row, (reader) => toAgentOutput(agent, reader, page))
  }

  /** What a session says, in frames; undefined when it has no log. */
  frames(row: SessionRow, wanted: TranscriptOptions, signal: AbortSignal): AsyncIterable<SseFrame> | undefined {
    const found = this.#find(row)
    return found && logFrames(this.#follow, row, found, wanted, signal)
  }

  followOutput(agent: string, row: SessionRow, signal: AbortSignal): AsyncIterable<AgentOutput> | undefined {
    const found = this.#find(row)
    return found && logOutput(this.#follow, agent, row, found, signal)
  }

  /** Frames of a screen until the session's log appears, and from then on those of the log. */
  async *screenThenLog(
    row: SessionRow,
    wanted: TranscriptOptions,
    signal: AbortSignal,
    screen: (signal: AbortSignal) => AsyncIterable<SseFrame>,
  ): AsyncGenerator<SseFrame, void, void> {
    const appeared = new AbortController()
    const look = () => this.hasLog(row) && appeared.abort()
    const stops = [this.options.book.onChange(look), this.#trackers.get(row.id)?.listen(look) ?? (() => {})]
    try {
      yield* screen(AbortSignal.any([signal, appeared.signal]))
    } finally {
      for (const stop of stops) stop()
    }
    const found = appeared.signal.aborted ? this.#find(row) : undefined
    if (found) yield* logFrames(this.#follow, row, found, wanted, signal, true)
  }

  async subAgents(row: SessionRow) {
    return { agents: (await this.#read(row, (reader, found) => listSubAgents(found, reader))) ?? [] }
  }

  /** What an agent said that a session's own agent started; undefined when there is none of that name. */
  async subAgent(row: SessionRow, id: string): Promise<SubAgent | undefined> {
    return this.#read(row, (reader, found) => readSubAgent(found, reader, id, isRunning(row)))
  }

  /** Resolves when every log that is followed has been read as it is now. */
  async readAll(): Promise<void> {
    this.#updateTrackers()
    await Promise.all([...this.#trackers.values()].map((track) => track.look()))
  }

  #find(row: SessionRow): LogHandle | undefined {
    return this.#trackers.get(row.id)?.found ?? this.options.locator.find(row)
  }

  async #read<T>(
    row: SessionRow,
    use: (reader: LogReader, found: LogHandle) => T | Promise<T>,
  ): Promise<T | undefined> {
    const found = this.#find(row)
    if (!found) return undefined
    const { log, giveBack } = this.#follow.shelf.borrow(found)
    try {
      await log.refresh()
      await prepareBlocks(log.reader)
      return await use(log.reader, found)
    } finally {
      giveBack()
    }
  }

  #scheduleUpdate(): void {
    this.#nextUpdate ??= this.options.deadlines.after(UPDATE_DELAY_MS, () => this.#updateTrackers())
  }

  /** Begins and ends following, as sessions come up and go down. */
  #updateTrackers(): void {
    this.#nextUpdate?.cancel()
    this.#nextUpdate = undefined
    if (this.#stopped) return
    const running = new Map(this.options.book.live().flatMap((row) => (isRunning(row) ? [[row.id, row]] : [])))
    for (const [id, track] of this.#trackers) {
      const row = running.get(id)
      if (row?.generation === track.row.generation) track.row = row
      else this.#stopTracker(id, track)
    }
    for (const [id, row] of running) if (!this.#trackers.has(id)) this.#startTracker(id, row)
  }

  #startTracker(id: string, row: SessionRow): void {
    const { locator, report } = this.options
    const track = new Track(
      {
        find: (of) => locator.find(of),
        places: (of) => locator.directories(of),
        watch: (paths, hear) => this.#watcher.follow(paths, hear),
        watchLog: (reader, hear) => this.#watcher.reader(reader, hear),
        found: (of, found) => this.#saveKey(of, found),
        since: (of) => this.#positionOf(of),
        read: (of, reader) => this.#onRead(of, reader.snapshot, reader.position),
        report: (error) => report(`the log of session ${id} could not be read: ${errorMessage(error)}`),
      },
      row,
    )
    this.#trackers.set(id, track)
    void track.look()
  }

  #stopTracker(id: string, track: Track): void {
    this.#trackers.delete(id)
    this.#closeTracker(track, true)
  }

  #closeTracker(track: Track, last: boolean): void {
    const closing = track.close({ last }).finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
  }

  #saveKey({ id }: SessionRow, { key }: LogHandle): void {
    const { store, book, report } = this.options
    store
      .write((tx) => {
        const row = book.find(id)
        if (key !== '' && row && row.state !== 'closed' && row.sessionKey === null) this.options.saveKey(tx, row, key)
      })
      .catch((error) => report(`what the program of ${id} calls its conversation was not kept: ${errorMessage(error)}`))
  }
}
