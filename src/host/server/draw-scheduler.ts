import type { TerminalEmulator } from './terminal-emulator.ts'

/** Maximum bytes that wait for one emulator; beyond that the oldest are dropped. */
const MAX_WAITING_BYTES = 4 << 20
const SLICE = 16 << 10

interface DrawChunk {
  bytes: Uint8Array
  /** Offset in the served output behind these bytes. */
  offset: number
}

/** Feeds the emulators of all sessions in turn, a slice each, so that one that floods takes no more than its turn. */
export class DrawScheduler {
  readonly #turns: DrawQueue[] = []
  #drawing: DrawQueue | undefined

  feed(emulator: TerminalEmulator, starved: () => void): DrawQueue {
    return new DrawQueue(emulator, starved, (feed) => this.#queue(feed))
  }

  /** An emulator threw while it drew: its screen stays unchanged, the others continue. */
  skipFailed(): void {
    const feed = this.#drawing
    if (!feed) return
    feed.close()
    this.#next()
  }

  #queue(feed: DrawQueue): void {
    this.#turns.push(feed)
    if (!this.#drawing) this.#next()
  }

  #next(): void {
    const feed = this.#turns.shift()
    this.#drawing = feed
    feed?.slice(() => {
      if (this.#drawing !== feed) return
      if (feed.isQueued) this.#turns.push(feed)
      this.#next()
    })
  }
}

/** Bytes that one emulator has drawn, and those that wait. */
export class DrawQueue {
  /** Offset in the served output that the screen has seen. */
  offset = 0
  /** Bytes that the screen never saw. */
  unseen = 0
  #portions: DrawChunk[] = []
  #waiting = 0
  #queued = false
  #lost = false
  #cut = false
  #closed = false
  #settled: { offset: number; resolve: () => void }[] = []

  constructor(
    private readonly emulator: TerminalEmulator,
    private readonly starved: () => void,
    private readonly queue: (feed: DrawQueue) => void,
  ) {}

  get isQueued(): boolean {
    return this.#queued
  }

  push(bytes: Uint8Array, offset: number): void {
    if (this.#closed) return
    this.#portions.push({ bytes, offset })
    this.#waiting += bytes.length
    while (this.#waiting > MAX_WAITING_BYTES) this.#drop()
    if (this.#queued) return
    this.#queued = true
    this.queue(this)
  }

  /** Resolves when the screen shows what had come out up to `offset`. */
  settled(offset: number): Promise<void> {
    if (this.offset >= offset || this.#closed || !this.#queued) return Promise.resolve()
    return new Promise((resolve) => this.#settled.push({ offset, resolve }))
  }

  close(): void {
    this.#closed = true
    this.#portions = []
    this.#waiting = 0
    this.#settle()
  }

  /** Draws one slice; `done` is called when it is drawn. */
  slice(done: () => void): void {
    const portion = this.#portions.shift()
    if (!portion) {
      this.#idle()
      done()
      return
    }
    this.#waiting -= portion.bytes.length
    const bytes = this.#cut ? cancelled(portion.bytes) : portion.bytes
    this.#cut = false
    this.emulator.write(bytes, () => {
      this.offset = portion.offset
      this.#settle()
      if (this.#portions.length === 0) this.#idle()
      done()
    })
  }

  #idle(): void {
    this.#queued = false
    this.#settle()
    if (!this.#lost) return
    this.#lost = false
    this.starved()
  }

  /** Drops the oldest portion. What follows may begin inside a sequence, so that one is cancelled first. */
  #drop(): void {
    const oldest = this.#portions.shift()
    if (!oldest) return
    this.#waiting -= oldest.bytes.length
    this.unseen += oldest.bytes.length
    this.#lost = true
    this.#cut = true
  }

  #settle(): void {
    if (this.#settled.length === 0) return
    const due = this.#settled.filter(({ offset }) => !this.#queued || this.#closed || offset <= this.offset)
    this.#settled = this.#settled.filter((one) => !due.includes(one))
    for (const { resolve } of due) resolve()
  }
}

const CANCEL = 0x18

function cancelled(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(bytes.length + 1)
  copy[0] = CANCEL
  copy.set(bytes, 1)
  return copy
}

/** Pieces no larger than one turn. */
export function* slices(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += SLICE) yield bytes.subarray(at, at + SLICE)
}
