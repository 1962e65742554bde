import { gcPart } from '../actor.ts'
import type { Deadlines } from '../deadlines.ts'
import { AppError, errorMessage } from '../errors.ts'
import { nextTick } from '../event-loop.ts'
import { command, query, type Store, type Tx } from '../store/index.ts'
import { Emitted, type RecordedEvent } from './event.ts'
import type { EventLog } from './log.ts'

/** Does, in `tx`, what follows from an event: once, whatever crashes in between. */
export type Reaction = (tx: Tx, recorded: RecordedEvent) => void

/**
 * Events that a consumer wants: their types, or a rule that may change while it runs. What it does not want costs it
 * nothing; what it does is a write.
 */
export type EventSelector = readonly string[] | ((recorded: RecordedEvent) => boolean)

interface Consumer {
  readonly name: string
  readonly selects: (recorded: RecordedEvent) => boolean
  readonly react: Reaction
  /** The last event it is done with, and the last that its row says it is done with. */
  cursor: number
  saved: number
  running: Promise<void> | undefined
  /** True if what is running only writes how far it came. */
  isSaving: boolean
  failing: { seq: number; tries: number } | undefined
  /** True if the store did not take its last write. */
  isBlocked: boolean
}

/** Result of reacting to events: done, stopped at an event whose reaction throws, or not accepted by the store. */
type BatchResult = { is: 'done' } | { is: 'failed'; at: number; error: unknown } | { is: 'rejected'; error: unknown }

const MAX_BATCH = 64
const READ_SIZE = 256
/** Maximum time the reactions of one write may hold the loop. */
const SLICE_MS = 4
const MAX_TRIES = 5
const FIRST_RETRY_MS = 200
const STORE_RETRY_MS = 5_000
/** Maximum uninteresting events that a consumer passes before its row is updated. */
const MAX_UNSAVED = 1000

const READ = query<{ seq: number }, [string]>('SELECT seq FROM cursors WHERE consumer = ?')

const MOVE = command<[string, number]>(
  'INSERT INTO cursors (consumer, seq) VALUES (?, ?) ON CONFLICT (consumer) DO UPDATE SET seq = excluded.seq',
)

/**
 * Consumers of a log. Each has a cursor in the log's own database that moves in the transaction of what it does;
 * publication only wakes it, and on start it continues from where it was.
 */
export class Reactions {
  readonly #consumers: Consumer[] = []
  #unlisten: (() => void) | undefined
  #stopping = new AbortController()

  constructor(
    private readonly store: Store,
    private readonly log: EventLog,
    private readonly deadlines: Deadlines,
    private readonly report: (message: string) => void,
  ) {}

  /** Adds a consumer of these events, but for those that a caller emitted. One that is new to this log starts at its first kept event. */
  on(name: string, wants: EventSelector, react: Reaction): void {
    if (this.#consumers.some((consumer) => consumer.name === name)) throw new Error(`two reactions are named ${name}`)
    const cursor = this.store.get(READ, name)?.seq ?? 0
    const types = typeof wants === 'function' ? undefined : new Set(wants)
    const rule = typeof wants === 'function' ? wants : ({ type }: RecordedEvent) => types?.has(type) === true
    const selects = (recorded: RecordedEvent) => !recorded[Emitted] && rule(recorded)
    const idle = { running: undefined, isSaving: false, failing: undefined, isBlocked: false }
    this.#consumers.push({ name, selects, react, cursor, saved: cursor, ...idle })
  }

  /** Catches up, then follows the log until `stop`. */
  start(): void {
    if (this.#unlisten) return
    this.#stopping = new AbortController()
    this.#unlisten = this.log.subscribe((recorded) => {
      for (const consumer of this.#consumers) this.#onEvent(consumer, recorded)
    })
    for (const consumer of this.#consumers) {
      this.#check(consumer)
      this.#wake(consumer)
    }
  }

  /** Waits for what is under way, and remembers how far every consumer came. */
  async stop(): Promise<void> {
    if (!this.#unlisten) return
    this.#unlisten()
    this.#unlisten = undefined
    this.#stopping.abort()
    await Promise.all(this.#consumers.map((consumer) => consumer.running))
    await this.#save(this.#consumers).catch(() => {})
  }

  /** True if every consumer has seen everything up to the head, and nothing runs. */
  get isIdle(): boolean {
    return this.#consumers.every(({ running, failing, cursor }) => !running && !failing && cursor >= this.log.head)
  }

  /** Resolves when every consumer has seen everything up to the head, with all that followed from it. */
  async whenIdle(): Promise<void> {
    for (;;) {
      const running = this.#consumers.flatMap((consumer) => consumer.running ?? [])
      if (running.length === 0) return
      await Promise.all(running)
    }
  }

  /** An event no one waits for costs an idle consumer nothing but the step of its cursor. */
  #onEvent(consumer: Consumer, recorded: RecordedEvent): void {
    if (consumer.running && !consumer.isSaving) return
    const idle = consumer.cursor === recorded.seq - 1 && !consumer.selects(recorded)
    if (idle) consumer.cursor = recorded.seq
    if (!idle || consumer.cursor - consumer.saved >= MAX_UNSAVED) this.#wake(consumer)
  }

  #wake(consumer: Consumer): void {
    if (consumer.running || !this.#unlisten) return
    consumer.running = this.#run(consumer)
  }

  /**
   * Begins when the whole group of events is published. Ends and reports it in the same stretch in which it saw that
   * nothing is left: no wake falls in between.
   */
  async #run(consumer: Consumer): Promise<void> {
    await undefined
    try {
      while (!this.#stopping.signal.aborted && !this.store.failure) {
        if (consumer.cursor - consumer.saved >= MAX_UNSAVED) await this.#saveProgress(consumer)
        else if (consumer.cursor < this.log.head) await this.#step(consumer)
        else return
      }
    } catch (error) {
      this.report(`${consumer.name} stopped until the next event: ${errorMessage(error)}`)
    } finally {
      consumer.running = undefined
    }
  }

  /** Events that follow, and that no one waits for, move its cursor on. */
  async #saveProgress(consumer: Consumer): Promise<void> {
    consumer.isSaving = true
    try {
      await this.#save([consumer])
    } catch (error) {
      await this.#wait(consumer, error)
    } finally {
      consumer.isSaving = false
    }
  }

  async #step(consumer: Consumer): Promise<void> {
    const events = this.log.after(consumer.cursor, READ_SIZE)
    const wanted = events.filter(consumer.selects)
    const batch = wanted.slice(0, MAX_BATCH)
    const last = wanted.length > batch.length ? batch.at(-1) : events.at(-1)
    const upTo = last?.seq ?? this.log.head
    if (batch.length === 0) {
      consumer.cursor = upTo
      if (events.length > 0) await nextTick()
      return
    }
    await this.#settle(consumer, batch, await this.#try(consumer, batch, upTo))
  }

  async #settle(consumer: Consumer, batch: RecordedEvent[], outcome: BatchResult): Promise<void> {
    if (outcome.is === 'rejected') return this.#wait(consumer, outcome.error)
    if (outcome.is === 'done') return
    const failedEvent = batch[outcome.at]
    if (!failedEvent) return
    const tries = consumer.failing?.seq === failedEvent.seq ? consumer.failing.tries + 1 : 1
    consumer.failing = { seq: failedEvent.seq, tries }
    const before = batch.slice(0, outcome.at)
    const good = before.at(-1)
    if (good && (await this.#try(consumer, before, good.seq)).is !== 'done') return
    const event = `event ${failedEvent.seq} (${failedEvent.type})`
    if (tries < MAX_TRIES) {
      const ms = FIRST_RETRY_MS * 2 ** (tries - 1)
      this.report(`${consumer.name} failed at ${event}, ${tries} of ${MAX_TRIES} tries: ${errorMessage(outcome.error)}`)
      return this.#sleep(ms)
    }
    const set = await this.#try(consumer, [], failedEvent.seq)
    if (set.is !== 'done') return
    this.report(`${consumer.name} set ${event} aside: ${errorMessage(outcome.error)}`)
  }

  /** Reacts to `events` and moves the cursor to `upTo` in one write, or less far when that takes long. */
  async #try(consumer: Consumer, events: RecordedEvent[], upTo: number): Promise<BatchResult> {
    let at: number | undefined
    try {
      const reached = await this.store.write((tx) => {
        const started = performance.now()
        let done = 0
        for (const [index, recorded] of events.entries()) {
          if (index > 0 && performance.now() - started > SLICE_MS) break
          at = index
          this.#react(tx, consumer, recorded)
          done = recorded.seq
        }
        at = undefined
        const reached = done === (events.at(-1)?.seq ?? 0) ? upTo : done
        tx.run(MOVE, consumer.name, reached)
        return reached
      }, gcPart(consumer.name))
      consumer.cursor = reached
      consumer.saved = reached
      consumer.isBlocked = false
      if (consumer.failing && consumer.failing.seq <= reached) consumer.failing = undefined
      return { is: 'done' }
    } catch (error) {
      const ofTheStore = error instanceof AppError && error.code === 'store-unavailable'
      return at === undefined || ofTheStore ? { is: 'rejected', error } : { is: 'failed', at, error }
    }
  }

  #react(tx: Tx, consumer: Consumer, recorded: RecordedEvent): void {
    const result: unknown = consumer.react(tx, recorded)
    if (result instanceof Promise) throw new TypeError('a reaction is synchronous: it returned a promise')
  }

  /** Reports once that the store accepts no writes, and retries later. */
  #wait(consumer: Consumer, error: unknown): Promise<void> {
    if (!consumer.isBlocked) this.report(`${consumer.name} waits for the store: ${errorMessage(error)}`)
    consumer.isBlocked = true
    return this.#sleep(STORE_RETRY_MS)
  }

  #sleep(ms: number): Promise<void> {
    return this.deadlines.sleep(ms, this.#stopping.signal).catch(() => {})
  }

  async #save(consumers: Consumer[]): Promise<void> {
    const moved = consumers.filter((consumer) => consumer.cursor > consumer.saved)
    if (moved.length === 0 || this.store.failure) return
    const marks = moved.map((consumer) => ({ consumer, cursor: consumer.cursor }))
    await this.store.write((tx) => {
      for (const { consumer, cursor } of marks) tx.run(MOVE, consumer.name, cursor)
    })
    for (const { consumer, cursor } of marks) consumer.saved = Math.max(consumer.saved, cursor)
  }

  /** Reports when events were removed before this consumer saw them. */
  #check(consumer: Consumer): void {
    const missed = this.log.oldest - 1
    if (consumer.cursor === 0 || consumer.cursor >= missed) return
    this.report(`${consumer.name} missed events ${consumer.cursor + 1} to ${missed}: they were removed before it ran`)
  }
}
