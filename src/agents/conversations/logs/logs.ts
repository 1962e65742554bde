import type { Deadlines } from '../../../core/deadlines.ts'
import { errorMessage } from '../../../core/errors.ts'
import type { Store, Tx } from '../../../core/store.ts'
import type { SseFrame } from '../../../http/sse.ts'
import type { AgentOutput } from '../../agents/schema.ts'
import type { SessionRepository } from '../../sessions/repository.ts'
import type { SubAgent } from '../../sessions/schema.ts'
import type { SessionRow } from '../../sessions/table.ts'
import { isRunning } from '../../sessions/view.ts'
import type { Transcript } from '../structured/transcript.ts'
import type { AskingNeeds } from './asking.ts'
import type { LogReader, View } from './entry.ts'
import type { Found } from './families.ts'
import { type FollowNeeds, logFrames, logOutput } from './follow.ts'
import type { Since } from './lines.ts'
import type { Locator } from './locate.ts'
import type { Page } from './page.ts'
import { outputOf, transcriptOf, unfold } from './read.ts'
import type { Wanted } from './shapes.ts'
import { Shelf } from './shelf.ts'
import type { Standing } from './standing.ts'
import { subAgentOf, subAgentsOf } from './sub-agents.ts'
import { Track } from './track.ts'
import { Watch } from './watch.ts'

export interface LogsNeeds extends AskingNeeds {
  store: Store
  book: SessionRepository
  locator: Pick<Locator, 'find' | 'places'>
  deadlines: Deadlines
  /** Remembers what a session's program calls its conversation. */
  keep(tx: Tx, row: SessionRow, key: string): void
  report(message: string): void
}

type Listener = (row: SessionRow, view: View, place: Since | undefined) => void

/** Which of the sessions run is looked at this soon after something about sessions changed. */
const SOON_MS = 50

/** The logs that the programs of a city's sessions keep themselves. */
export class Logs {
  readonly #tracks = new Map<string, Track>()
  readonly #closing = new Set<Promise<void>>()
  #hear: Listener = () => {}
  #since: (row: SessionRow) => Since | undefined = () => undefined
  readonly #follow: FollowNeeds
  readonly #watch: Watch
  #unlisten = () => {}
  #due: { cancel(): void } | undefined
  #stopped = true

  constructor(private readonly needs: LogsNeeds) {
    this.#watch = new Watch(needs.deadlines)
    this.#follow = { ...needs, shelf: new Shelf(needs.deadlines), watch: this.#watch }
  }

  /** Follows the logs of whatever runs, from now on. */
  start(): void {
    this.#stopped = false
    this.#unlisten = this.needs.book.onChange(() => this.#soon())
    this.#look()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#unlisten()
    this.#due?.cancel()
    for (const track of this.#tracks.values()) this.#close(track, true)
    this.#tracks.clear()
    await Promise.all(this.#closing)
    this.#follow.shelf.close()
    this.#watch.close()
  }

  /** Hears what stands in the log of a session whenever it grew; `since` tells up to where it was heard before. */
  onRead(hear: Listener, since: (row: SessionRow) => Since | undefined): void {
    this.#hear = hear
    this.#since = since
  }

  /** How a running session is, by its log. */
  standing(id: string): Standing | undefined {
    return this.#tracks.get(id)?.standing
  }

  /** Whether there is a log of a session. */
  has(row: SessionRow): boolean {
    return this.#find(row) !== undefined
  }

  /** What a session said, by its log; undefined when it has none. */
  transcript(row: SessionRow, wanted: Omit<Wanted, 'after'>, page: Page): Promise<Transcript | undefined> {
    return this.#read(row, (reader) => transcriptOf(row, reader, wanted, page))
  }

  output(agent: string, row: SessionRow, page: Page): Promise<AgentOutput | undefined> {
    return this.#read(row, (reader) => outputOf(agent, reader, page))
  }

  /** What a session says, in frames; undefined when it has no log. */
  frames(row: SessionRow, wanted: Wanted, signal: AbortSignal): AsyncIterable<SseFrame> | undefined {
    const found = this.#find(row)
    return found && logFrames(this.#follow, row, found, wanted, signal)
  }

  followOutput(agent: string, row: SessionRow, signal: AbortSignal): AsyncIterable<AgentOutput> | undefined {
    const found = this.#find(row)
    return found && logOutput(this.#follow, agent, row, found, signal)
  }

  /** Frames of a screen until the session's log appears, and from then on those of the log. */
  async *promoted(
    row: SessionRow,
    wanted: Wanted,
    signal: AbortSignal,
    screen: (signal: AbortSignal) => AsyncIterable<SseFrame>,
  ): AsyncGenerator<SseFrame, void, void> {
    const appeared = new AbortController()
    const look = () => this.has(row) && appeared.abort()
    const stops = [this.needs.book.onChange(look), this.#tracks.get(row.id)?.listen(look) ?? (() => {})]
    try {
      yield* screen(AbortSignal.any([signal, appeared.signal]))
    } finally {
      for (const stop of stops) stop()
    }
    const found = appeared.signal.aborted ? this.#find(row) : undefined
    if (found) yield* logFrames(this.#follow, row, found, wanted, signal, true)
  }

  async subAgents(row: SessionRow) {
    return { agents: (await this.#read(row, (reader, found) => subAgentsOf(found, reader))) ?? [] }
  }

  /** What an agent said that a session's own agent started; undefined when there is none of that name. */
  async subAgent(row: SessionRow, id: string): Promise<SubAgent | undefined> {
    return this.#read(row, (reader, found) => subAgentOf(found, reader, id, isRunning(row)))
  }

  /** Resolves when every log that is followed has been read as it is now. */
  async settled(): Promise<void> {
    this.#look()
    await Promise.all([...this.#tracks.values()].map((track) => track.look()))
  }

  #find(row: SessionRow): Found | undefined {
    return this.#tracks.get(row.id)?.found ?? this.needs.locator.find(row)
  }

  async #read<T>(row: SessionRow, use: (reader: LogReader, found: Found) => T | Promise<T>): Promise<T | undefined> {
    const found = this.#find(row)
    if (!found) return undefined
    const { log, giveBack } = this.#follow.shelf.borrow(found)
    try {
      await log.refresh()
      await unfold(log.reader)
      return await use(log.reader, found)
    } finally {
      giveBack()
    }
  }

  #soon(): void {
    this.#due ??= this.needs.deadlines.after(SOON_MS, () => this.#look())
  }

  /** Begins and ends following, as sessions come up and go down. */
  #look(): void {
    this.#due?.cancel()
    this.#due = undefined
    if (this.#stopped) return
    const running = new Map(this.needs.book.live().flatMap((row) => (isRunning(row) ? [[row.id, row]] : [])))
    for (const [id, track] of this.#tracks) {
      const row = running.get(id)
      if (row?.generation === track.row.generation) track.row = row
      else this.#end(id, track)
    }
    for (const [id, row] of running) if (!this.#tracks.has(id)) this.#begin(id, row)
  }

  #begin(id: string, row: SessionRow): void {
    const { locator, report } = this.needs
    const track = new Track(
      {
        find: (of) => locator.find(of),
        places: (of) => locator.places(of),
        watch: (paths, hear) => this.#watch.follow(paths, hear),
        watchLog: (reader, hear) => this.#watch.reader(reader, hear),
        found: (of, found) => this.#found(of, found),
        since: (of) => this.#since(of),
        read: (of, reader) => this.#hear(of, reader.view, reader.place),
        report: (error) => report(`the log of session ${id} could not be read: ${errorMessage(error)}`),
      },
      row,
    )
    this.#tracks.set(id, track)
    void track.look()
  }

  #end(id: string, track: Track): void {
    this.#tracks.delete(id)
    this.#close(track, true)
  }

  #close(track: Track, last: boolean): void {
    const closing = track.close({ last }).finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
  }

  #found({ id }: SessionRow, { key }: Found): void {
    const { store, book, report } = this.needs
    store
      .write((tx) => {
        const row = book.find(id)
        if (key !== '' && row && row.state !== 'closed' && row.sessionKey === null) this.needs.keep(tx, row, key)
      })
      .catch((error) => report(`what the program of ${id} calls its conversation was not kept: ${errorMessage(error)}`))
  }
}
