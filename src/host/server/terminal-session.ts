import { closeSync, constants, openSync } from 'node:fs'
import { toTimestamp } from '../../core/clock.ts'
import { settlesWithin } from '../../core/deadlines.ts'
import { AppError } from '../../core/errors.ts'
import { openLibc } from '../../core/libc.ts'
import { Ring } from '../../core/ring.ts'
import { Signal } from '../../core/signal.ts'
import type { RedactionStream } from '../../core/text/index.ts'
import { profileOf } from '../../programs/screens.ts'
import type { SessionParts } from '../confine/index.ts'
import { checkSize, type Spawned, spawnTerminal } from '../confine/index.ts'
import type { Origin } from '../process/index.ts'
import { kill, readProcess } from '../process/index.ts'
import type {
  ChoiceOutcome,
  ForegroundSignal,
  HostedSession,
  ProgramOnTerminal,
  Question,
  Screen,
  Snapshot,
  StartSpec,
} from '../protocol/index.ts'
import type { RoomyTerminal, TerminalHost, TerminalScreen, TerminalSize } from '../terminal/index.ts'
import { QuestionTracker } from '../terminal/index.ts'
import { type DrawQueue, type DrawScheduler, slices } from './draw-scheduler.ts'
import { QueryFilter } from './query-filter.ts'
import { TerminalEmulator } from './terminal-emulator.ts'

const RING_BYTES = 256 << 10
/** Maximum bytes typed while the program reads nothing. */
const MAX_TYPED_BYTES = 1 << 20
/** Time a look at the screen waits for bytes that have come out already. */
const SETTLE_MS = 500
/** Programs that see two sizes immediately draw nothing again. */
const REDRAW_RESIZE_MS = 50
/** Time a beginning of a secret is held back before it is shown as what it is. */
const HELD_MS = 20

export interface TerminalSessionDependencies extends SessionParts {
  drawScheduler: DrawScheduler
  report(sentence: string): void
}

/** Reports of a session to its host. */
export interface TerminalSessionListener {
  /** There is new output. */
  output(session: TerminalSession): void
  /** Its first process is over. */
  exited(session: TerminalSession): void
  /** Its program asks something on its screen, or nothing any more. */
  question(session: TerminalSession, question: Question | undefined): void
}

/** A program on a terminal: what it wrote lately, its screen, its first process. */
export class TerminalSession {
  readonly kind = 'terminal' as const
  readonly ring = new Ring(RING_BYTES)
  readonly startedAt: string
  readonly origin: Origin
  readonly #spawned: Spawned
  readonly #emulator: TerminalEmulator
  readonly #feed: DrawQueue
  readonly #redactor: RedactionStream
  readonly #filter = new QueryFilter()
  readonly #closed = Promise.withResolvers<void>()
  readonly #terminal: SessionTerminal
  readonly #questions: QuestionTracker | undefined
  #throttle: OutputThrottle | undefined
  /** The size that the program has for the time being instead of its own. */
  #room: { cols: number; rows: number } | undefined
  #lastOutput: number | undefined
  #title: string | undefined
  #typed = 0
  #holding = false
  #finished = false
  #over: { exitCode?: number; signal?: string } | undefined

  constructor(
    readonly run: string,
    private readonly spec: StartSpec,
    private readonly parts: TerminalSessionDependencies,
    private readonly events: TerminalSessionListener,
  ) {
    checkSize(spec.cols, spec.rows)
    this.#redactor = parts.redactor.createStream()
    this.#emulator = new TerminalEmulator(spec.cols, spec.rows, {
      answer: (text) => this.#answer(text),
      title: (title) => {
        this.#title = title
      },
    })
    this.#feed = parts.drawScheduler.feed(this.#emulator, () => this.#askForRedraw())
    this.#spawned = spawnTerminal(spec, parts, {
      output: (bytes) => {
        this.#throttle?.onRead(bytes.length)
        this.#take(this.#redactor.push(bytes))
      },
      typed: () => {
        this.#typed = 0
      },
      closed: () => this.#closed.resolve(),
      exited: (exitCode, signal) => this.#exited(exitCode, signal),
    })
    this.#terminal = new SessionTerminal(spec.key, {
      screen: () => this.#terminalScreen(),
      write: (bytes) => this.write(bytes),
      applySize: (size) => this.#giveRoom(size),
    })
    this.#questions = spec.program && this.#trackQuestions(spec.program)
    this.startedAt = toTimestamp(parts.clock.now())
    const { pid } = this.#spawned
    const leader = readProcess(pid)
    const { marks, cgroup } = parts
    this.origin = { pid, started: leader?.started ?? '', marks, ...(cgroup && { cgroup: cgroup.path }) }
    if (leader?.terminal) this.#throttle = new OutputThrottle(leader.terminal)
  }

  get key(): string {
    return this.spec.key
  }

  get pid(): number {
    return this.#spawned.pid
  }

  /** Origin of its processes. */
  get origins(): Origin[] {
    return [this.origin]
  }

  /** Exit of its first process; undefined while it runs. */
  get exitStatus(): { exitCode?: number; signal?: string } | undefined {
    return this.#over
  }

  /** True if nothing more will come out. */
  get finished(): boolean {
    return this.#finished
  }

  get view(): Omit<HostedSession, 'state'> {
    return {
      key: this.key,
      run: this.run,
      kind: this.kind,
      pid: this.pid,
      startedAt: this.startedAt,
      ...this.#over,
      ...(this.origin.cgroup !== undefined && { cgroup: this.origin.cgroup }),
      cols: this.spec.cols,
      rows: this.spec.rows,
      bytes: this.ring.end,
      oldest: this.ring.oldest,
      ...(this.#lastOutput !== undefined && { lastOutputAt: toTimestamp(this.#lastOutput) }),
      ...(this.#title !== undefined && { title: this.#title }),
      unseen: this.#feed.unseen,
    }
  }

  write(bytes: Uint8Array): void {
    if (this.#over) throw new AppError('conflict-wrong-state', `${this.key} has ended and reads nothing more`)
    if (this.#typed + bytes.length > MAX_TYPED_BYTES) {
      throw new AppError('conflict-wrong-state', `${this.key} does not read what is typed; interrupt or end it`)
    }
    this.#type(bytes)
  }

  resize(cols: number, rows: number): void {
    checkSize(cols, rows)
    this.spec.cols = cols
    this.spec.rows = rows
    if (!this.#room) this.#applySize()
  }

  /** Current question on its screen. */
  get question(): Question | undefined {
    return this.#questions?.question
  }

  /** Takes an option of a question on its screen, with a text where it takes one; of one and the same only once. */
  async choose(question: string, option: string, text?: string): Promise<ChoiceOutcome> {
    return this.#questions?.answer(question, option, text) ?? { result: 'gone' }
  }

  /** Signals what runs in the foreground, or the first process where nothing else does. */
  signal(signal: ForegroundSignal): void {
    const leader = readProcess(this.pid)
    if (!leader || leader.started !== this.origin.started) return
    kill(leader.foreground > 1 ? -leader.foreground : this.pid, `SIG${signal}`)
  }

  async screen(lines: number | undefined, styles = false): Promise<Screen> {
    await this.#settled()
    const { lines: plain, styled, ...screen } = this.#emulator.screen(lines, styles)
    const redacted = plain.map((line) => this.parts.redactor.redact(line))
    // Colours within a secret must not hide it from the redactor.
    const shown = styled?.map((line, at) => (redacted[at] === plain[at] ? line : (redacted[at] ?? '')))
    return { ...screen, lines: redacted, ...(shown && { styled: shown }), offset: this.#feed.offset }
  }

  async snapshot(): Promise<Snapshot> {
    await this.#settled()
    const ansi = this.parts.redactor.redact(this.#emulator.draw())
    return { offset: this.#feed.offset, ansi, cols: this.spec.cols, rows: this.spec.rows }
  }

  /** Its processes are gone: reads what they wrote last, and lets go of the terminal. */
  async finish(ms: number): Promise<void> {
    this.#throttle?.close()
    this.#questions?.close()
    this.#terminal.emitExit()
    await settlesWithin(this.parts.deadlines, ms, this.#closed.promise)
    this.#spawned.terminal.close()
    this.#take(this.#redactor.flush())
    this.ring.push(this.#filter.flush())
    this.#finished = true
    this.events.output(this)
    await this.#settled()
  }

  #take(bytes: Uint8Array): void {
    this.#holdBack()
    if (bytes.length === 0) return
    this.#lastOutput = this.parts.clock.now()
    for (const slice of slices(bytes)) {
      this.ring.push(this.#filter.push(slice))
      this.#feed.push(slice, this.ring.end)
    }
    this.events.output(this)
    this.#terminal.emitOutput()
    this.#questions?.onOutput()
  }

  #trackQuestions(program: ProgramOnTerminal): QuestionTracker {
    const { clock, deadlines, report } = this.parts
    return new QuestionTracker({
      ...{ clock, deadlines, report, key: this.key, run: this.run, profile: profileOf(program) },
      ...{ host: this.#terminal, terminal: this.#terminal },
      onChange: (question) => this.events.question(this, question),
    })
  }

  async #terminalScreen(): Promise<TerminalScreen> {
    const screen = await this.screen(undefined)
    return { ...screen, colours: (x, y) => this.#emulator.colours(x, y) }
  }

  #giveRoom(size: { cols: number; rows: number } | undefined): void {
    this.#room = size
    this.#applySize()
  }

  #applySize(): void {
    const { cols, rows } = this.#room ?? this.spec
    if (!this.#over) this.#spawned.terminal.resize(cols, rows)
    this.#emulator.resize(cols, rows)
  }

  #holdBack(): void {
    if (this.#holding || this.#redactor.held === 0) return
    this.#holding = true
    this.parts.deadlines.after(HELD_MS, () => {
      this.#holding = false
      this.#take(this.#redactor.flush())
    })
  }

  #answer(text: string): void {
    if (!this.#over && this.#typed < MAX_TYPED_BYTES) this.#type(Buffer.from(text, 'latin1'))
  }

  #type(bytes: Uint8Array): void {
    if (this.#spawned.terminal.closed) return
    this.#typed += bytes.length
    this.#spawned.terminal.write(new Uint8Array(bytes))
  }

  /** The screen missed something: a change of size and back makes the program draw it again. */
  #askForRedraw(): void {
    if (this.#over) return
    const { cols, rows } = this.#room ?? this.spec
    this.#spawned.terminal.resize(cols, rows > 1 ? rows - 1 : rows + 1)
    this.parts.deadlines.after(REDRAW_RESIZE_MS, () => {
      if (!this.#spawned.terminal.closed) this.#applySize()
    })
  }

  #exited(exitCode: number | null, signal: string | null): void {
    this.#over = signal !== null ? { signal } : exitCode !== null ? { exitCode } : {}
    this.events.exited(this)
  }

  async #settled(): Promise<void> {
    await settlesWithin(this.parts.deadlines, SETTLE_MS, this.#feed.settled(this.ring.end))
  }
}

/** Access through which a program's questions are read and answered. */
interface TerminalAccess {
  screen(): Promise<TerminalScreen>
  write(bytes: Uint8Array): void
  /** Gives the terminal another size for the time being; without one, its own again. */
  applySize(size: TerminalSize | undefined): void
}

/** The terminal of one session, for those who look at it within its host. */
class SessionTerminal implements TerminalHost, RoomyTerminal {
  readonly #drawn = new Signal()
  readonly #exited = new Signal()

  constructor(
    private readonly key: string,
    private readonly access: TerminalAccess,
  ) {}

  /** The program wrote something, and it is drawn. */
  emitOutput(): void {
    this.#drawn.emit()
  }

  emitExit(): void {
    this.#exited.emit()
  }

  screen(): Promise<TerminalScreen> {
    return this.access.screen()
  }

  async write(_key: string, bytes: Uint8Array): Promise<void> {
    this.access.write(bytes)
  }

  press(keys: string): void {
    this.access.write(new TextEncoder().encode(keys))
  }

  onOutput(_key: string, listener: () => void): () => void {
    return this.#drawn.listen(listener)
  }

  onExit(listener: (exit: { key: string }) => void): () => void {
    return this.#exited.listen(() => listener({ key: this.key }))
  }

  async withRoom<T>(room: TerminalSize, work: () => Promise<T>): Promise<T> {
    this.access.applySize(room)
    try {
      return await work()
    } finally {
      this.access.applySize(undefined)
    }
  }
}

/** Maximum bytes read of one terminal before the others get their turn. */
const MAX_BYTES_PER_TICK = 128 << 10
const OFF = 0
const ON = 1

/**
 * Bun reads a terminal for as long as there is something to read, so a program that floods would hold the loop for
 * good. The throttle stops the terminal's output, as its own flow control would, until the loop has come round.
 * It works on Linux; elsewhere it does nothing.
 */
class OutputThrottle {
  #taken = 0
  #turning = false
  #on = false
  #terminal: number | undefined
  #closed = false

  /** `device` is the number of the terminal that `/proc/<pid>/stat` shows. */
  constructor(private readonly device: string) {}

  /** So many bytes were read in this turn of the loop. */
  onRead(bytes: number): void {
    this.#taken += bytes
    if (!this.#turning) {
      this.#turning = true
      setImmediate(() => this.#turn())
    }
    if (this.#taken < MAX_BYTES_PER_TICK || this.#on || this.#closed) return
    this.#terminal ??= openTerminal(this.device)
    if (this.#terminal !== undefined) this.#on = flow(this.#terminal, OFF)
  }

  /** Lets go of the terminal: only then can its end be seen. */
  close(): void {
    this.#closed = true
    this.#release()
    if (this.#terminal !== undefined) closeSync(this.#terminal)
    this.#terminal = undefined
  }

  #turn(): void {
    this.#turning = false
    this.#taken = 0
    this.#release()
  }

  #release(): void {
    if (this.#on && this.#terminal !== undefined) flow(this.#terminal, ON)
    this.#on = false
  }
}

function openTerminal(device: string): number | undefined {
  if (process.platform !== 'linux') return undefined
  const number = Number(device)
  const minor = (number & 0xff) | ((number >> 12) & 0xfff00)
  try {
    return openSync(`/dev/pts/${minor}`, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
}

const openFlow = () => openLibc({ tcflow: { args: ['int', 'int'], returns: 'int' } })

let opened: ReturnType<typeof openFlow>

/** Stops or continues a terminal; false where there is no C library for it. */
function flow(terminal: number, action: number): boolean {
  opened ??= openFlow()
  return opened?.tcflow(terminal, action) === 0
}
