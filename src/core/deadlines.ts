import { type Clock, systemClock } from './clock.ts'
import { DurationHistogram } from './metrics/index.ts'
import { Signal } from './signal.ts'

/** A promise of the deadlines module; `cancel` is idempotent. */
export interface Deadline {
  readonly due: number
  cancel(): void
}

/** Arms the one timer; tests step it by hand. */
export interface Timer {
  set(ms: number, ring: () => void): () => void
}

const systemAlarm: Timer = {
  set(ms, ring) {
    const timer = setTimeout(ring, ms)
    return () => clearTimeout(timer)
  },
}

interface ScheduledDeadline extends Deadline {
  due: number
  index: number
  readonly order: number
  /** Length of a running term; undefined for a moment of the wall clock. */
  readonly length: number | undefined
  /** Time that the machine slept counts towards its length. */
  readonly countsSleep: boolean
  /** It was given its length again because we were stopped: once, so that who is always late still comes to an end. */
  again: boolean
  run: () => unknown
}

const HOUR_MS = 3_600_000
/** Clocks that drift apart by more than this slept or were set; an alarm that is later than this rang in a stopped process. */
const CLOCK_STEP_MS = 5_000

/**
 * Every timer of the process. One is armed: the nearest, never more than an hour ahead. When the wall clock and the
 * monotonic clock moved apart (a suspended laptop, a set clock), or the alarm comes much too late (a stopped process),
 * nothing could be received: running terms get their full length again and an overdue moment fires once.
 */
export class Deadlines {
  /** Lateness of the timer: work in the event loop delays it. */
  readonly lateness = new DurationHistogram()
  readonly #entries = new Heap<ScheduledDeadline>()
  readonly #stepped = new Signal<[shift: number]>()
  #disarm: (() => void) | undefined
  #armedFor = Number.POSITIVE_INFINITY
  /** Due time of the alarm, by the monotonic clock. */
  #ringsAt = Number.POSITIVE_INFINITY
  #lastWall: number
  #lastMonotonic: number
  #order = 0
  #ringing = false
  #closed = false
  /** Those of the whole process, if these are of a part of it, and what of the part waits among them. */
  #whole: Deadlines | undefined
  readonly #ofPart = new Set<ScheduledDeadline>()

  constructor(
    private readonly clock: Clock = systemClock,
    private readonly alarm: Timer = systemAlarm,
    private readonly report: (error: unknown) => void = () => {},
  ) {
    this.#lastWall = clock.now()
    this.#lastMonotonic = clock.monotonic()
  }

  /** Deadlines of one part of the process: they wait among the others, and the part can list its own. */
  part(): Deadlines {
    const part = new Deadlines(this.clock, this.alarm, this.report)
    part.#whole = this
    return part
  }

  /** Runs once when `ms` have passed: a timeout, a lease, an idle limit. */
  after(ms: number, run: () => unknown): Deadline {
    return this.#add(this.clock.now() + ms, ms, run)
  }

  /** Runs once when `ms` have passed, also while the machine slept: the interval of upkeep. */
  interval(ms: number, run: () => unknown): Deadline {
    return this.#add(this.clock.now() + ms, ms, run, true)
  }

  /** Runs once at a moment of the wall clock; soon when it is past. */
  at(due: number, run: () => unknown): Deadline {
    return this.#add(due, undefined, run)
  }

  /** Called after a clock step or a stop, with how far the wall clock moved against the monotonic one; 0 after a stop. */
  onClockStep(listener: (shift: number) => void): () => void {
    if (this.#whole) return this.#whole.onClockStep(listener)
    return this.#stepped.listen((shift) => this.#run(() => listener(shift)))
  }

  /** The time of day, for comparing with stored times: a clock step is noticed now, not at the next alarm. */
  now(): number {
    if (this.#whole) return this.#whole.now()
    if (this.#away && !this.#ringing) {
      this.#notice()
      this.#arm()
    }
    return this.clock.now()
  }

  /** A promise of `after`, for code that awaits; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const abort = () => {
        deadline.cancel()
        reject(signal?.reason)
      }
      const deadline = this.after(ms, () => {
        signal?.removeEventListener('abort', abort)
        resolve()
      })
      signal?.addEventListener('abort', abort, { once: true })
    })
  }

  /** Number of deadlines that are waiting; an idle system has few. */
  get size(): number {
    return this.#whole ? this.#ofPart.size : this.#entries.size
  }

  /** Deadlines of this part besides intervals of upkeep: the next moment of the wall clock, and whether a term runs. */
  waiting(): { readonly due: number | undefined; readonly hasTerm: boolean } {
    const own = [...this.#ofPart]
    const moments = own.flatMap(({ due, length }) => (length === undefined ? [due] : []))
    return {
      due: moments.length === 0 ? undefined : Math.min(...moments),
      hasTerm: own.some(({ length, countsSleep }) => length !== undefined && !countsSleep),
    }
  }

  /** Cancels every deadline and takes no more. */
  close(): void {
    this.#closed = true
    for (const entry of [...this.#ofPart]) entry.cancel()
    this.#entries.clear()
    this.#arm()
  }

  #add(due: number, length: number | undefined, run: () => unknown, countsSleep = false): Deadline {
    if (Number.isNaN(due)) throw new RangeError('a deadline needs a moment')
    const whole = this.#whole ?? this
    const order = whole.#order++
    const cancel = () => {
      this.#ofPart.delete(entry)
      whole.#cancel(entry)
    }
    const entry: ScheduledDeadline = { due, index: NOT_IN_HEAP, order, length, countsSleep, again: false, run, cancel }
    if (this.#closed || whole.#closed) return entry
    if (whole !== this) this.#keep(entry)
    whole.#entries.add(entry)
    if (!whole.#ringing && (due < whole.#armedFor || whole.#drifted())) whole.#arm()
    return entry
  }

  /** Keeps a deadline of this part until it runs. */
  #keep(entry: ScheduledDeadline): void {
    const { run } = entry
    this.#ofPart.add(entry)
    entry.run = () => {
      this.#ofPart.delete(entry)
      return run()
    }
  }

  /** Nothing stays armed for nothing; a bell that comes too early for the rest only arms the next. */
  #cancel(entry: ScheduledDeadline): void {
    if (this.#entries.remove(entry) && this.#entries.size === 0 && !this.#ringing) this.#arm()
  }

  #arm(): void {
    this.#disarm?.()
    this.#disarm = undefined
    this.#armedFor = Number.POSITIVE_INFINITY
    this.#ringsAt = Number.POSITIVE_INFINITY
    const nearest = this.#entries.nearest
    if (!nearest) return
    const now = this.clock.now()
    this.#armedFor = this.#drifted() ? now : Math.min(nearest.due, now + HOUR_MS)
    const ms = Math.max(0, Math.ceil(this.#armedFor - now))
    this.#ringsAt = this.clock.monotonic() + ms
    this.#disarm = this.alarm.set(ms, () => this.#ring())
  }

  #ring(): void {
    this.lateness.observe(Math.max(0, this.clock.monotonic() - this.#ringsAt))
    this.#disarm = undefined
    this.#ringing = true
    this.#notice()
    for (const entry of this.#due()) {
      if (this.#entries.remove(entry)) this.#run(entry.run)
    }
    this.#ringing = false
    this.#arm()
  }

  /** Due deadlines in order, all of them still waiting: one may cancel another that is due with it. */
  #due(): ScheduledDeadline[] {
    const now = this.clock.now()
    const due: ScheduledDeadline[] = []
    for (let next = this.#entries.nearest; next && next.due <= now; next = this.#entries.nearest) {
      this.#entries.remove(next)
      due.push(next)
    }
    for (const entry of due) this.#entries.add(entry)
    return due.sort((a, b) => a.due - b.due || a.order - b.order)
  }

  #run(run: () => unknown): void {
    try {
      const result = run()
      if (result instanceof Promise) result.catch(this.report)
    } catch (error) {
      this.report(error)
    }
  }

  get #shift(): number {
    return this.clock.now() - this.#lastWall - (this.clock.monotonic() - this.#lastMonotonic)
  }

  #drifted(): boolean {
    return Math.abs(this.#shift) >= CLOCK_STEP_MS
  }

  get #away(): boolean {
    return this.#drifted() || this.clock.monotonic() - this.#ringsAt >= CLOCK_STEP_MS
  }

  /** Small drifts are forgotten each time, so that a clock that is slowly put right is not a step. */
  #notice(): void {
    const shift = this.#shift
    const stepped = this.#drifted()
    const away = this.#away
    this.#lastWall = this.clock.now()
    this.#lastMonotonic = this.clock.monotonic()
    if (!away) return
    for (const entry of this.#entries.clear()) {
      if (entry.length !== undefined && (stepped || !entry.again)) {
        const full = this.#lastWall + entry.length
        entry.due = entry.countsSleep ? Math.min(entry.due, full) : full
      }
      entry.again = !stepped
      this.#entries.add(entry)
    }
    this.#stepped.emit(stepped ? shift : 0)
  }
}

/** Entry of a heap. It stores its own position, so that it can be removed from anywhere. */
interface HeapEntry {
  readonly due: number
  index: number
}

/** The place of what is in no heap. */
const NOT_IN_HEAP = -1

/** Entries by their due moment, the nearest first; adding and taking out cost the logarithm of how many there are. */
class Heap<Entry extends HeapEntry> {
  #entries: Entry[] = []

  get size(): number {
    return this.#entries.length
  }

  get nearest(): Entry | undefined {
    return this.#entries[0]
  }

  add(entry: Entry): void {
    this.#put(entry, this.#entries.length)
    this.#rise(entry)
  }

  /** Takes an entry out; false when it is not here. */
  remove(entry: Entry): boolean {
    const { index: place } = entry
    if (this.#entries[place] !== entry) return false
    const last = this.#entries.pop()
    entry.index = NOT_IN_HEAP
    if (!last || last === entry) return true
    this.#put(last, place)
    this.#rise(last)
    this.#sink(last)
    return true
  }

  /** Takes everything out, in no order. */
  clear(): Entry[] {
    const all = this.#entries
    this.#entries = []
    for (const entry of all) entry.index = NOT_IN_HEAP
    return all
  }

  #rise(entry: Entry): void {
    for (;;) {
      const { index: place } = entry
      const above = this.#entries[(place - 1) >> 1]
      if (place === 0 || !above || above.due <= entry.due) return
      const to = above.index
      this.#put(above, place)
      this.#put(entry, to)
    }
  }

  #sink(entry: Entry): void {
    for (;;) {
      const { index: place } = entry
      const left = this.#entries[2 * place + 1]
      const right = this.#entries[2 * place + 2]
      const below = left && right && right.due < left.due ? right : left
      if (!below || entry.due <= below.due) return
      const to = below.index
      this.#put(below, place)
      this.#put(entry, to)
    }
  }

  #put(entry: Entry, place: number): void {
    this.#entries[place] = entry
    entry.index = place
  }
}

/** Waits for a promise, but no longer than `ms`; returns whether it settled in time. */
export async function settlesWithin(deadlines: Deadlines, ms: number, promise: Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const deadline = deadlines.after(ms, () => late.resolve(false))
  try {
    return await Promise.race([promise.then(() => true), late.promise])
  } finally {
    deadline.cancel()
  }
}
