import { cpuTimeOf } from '../../../../src/host/process/cpu-time.ts'
import { ProcessTable } from '../../../../src/host/process/process-table.ts'
import { TerminalEmulator } from '../../../../src/host/server/terminal-emulator.ts'
import type { QuestionKind } from '../../../../src/programs/terminal-profile.ts'
import { isWrong, judge, SIZE, type Transition, type TrueState } from '../../states/recording.ts'
import { type StartedProgram, type StartOptions, startProgram } from '../asked-program.ts'
import type { ProviderError, Reply, Script } from '../model-server.ts'
import type { Program } from '../programs.ts'

const LOOK_MS = 150
/** Without a change for so long, a screen shows what its program has come to; a clock in it ticks once a second. */
const QUIET_MS = 1_600
/** A program may rest for a moment before it asks. */
const ASKED_MS = 3_500
const LATE_MS = 20_000
const QUIET_WITHIN_MS = 12_000
/** So long a program has at most to ask its model, or to show something. */
const ASKS_WITHIN_MS = 120_000
const WORKS_MS = 1_500
/** The part of a processor that a program uses at most that only blinks. */
const WORKS = 0.06
const PROCESSES = new ProcessTable()
/** So many bytes are drawn at a time, so that what a program writes first is seen before it draws. */
const SLICE = 64
const WHOLE_MS = 40
const WHOLE_WITHIN_MS = 5_000
/** Between typing a text and submitting it. */
const TYPED_MS = 500
const ENDS_WITHIN_MS = 10_000

/** A person in front of a real program whose model does what a script says: both know the true state. */
export class Stage {
  readonly #transitions: Transition[] = []
  #state: TrueState | undefined
  /** The screen that was recorded last. */
  #screen = ''
  #script: Script = () => ({ text: 'Done.' })
  #release: (() => void) | undefined
  #answered = 0
  #exit: Transition['exit']
  readonly #terminal = new TerminalEmulator(SIZE.cols, SIZE.rows, { answer() {}, title() {} })
  readonly #over = new AbortController()
  /** Amount of its output that the terminal has drawn. */
  #drawn = 0
  #drawnAt = 0
  /** Reason it does not draw any more. */
  #lost: unknown
  /** Sequence that draws its terminal before any output. */
  #blank = ''
  #isBlank = true

  private constructor(
    readonly started: StartedProgram,
    private readonly program: string,
    private readonly scene: string,
  ) {
    started.host.onExit(({ exitCode: code, signal }) => {
      this.#exit = { ...(code !== undefined && { code }), ...(signal !== undefined && { signal }) }
    })
  }

  static async open(program: Program, scene: string, start: StartOptions): Promise<Stage> {
    let stage: Stage | undefined
    const script: Script = (request, body) => stage?.answer(request, body) ?? { text: 'Done.' }
    const started = await startProgram(program, { size: SIZE, isUnwatched: true, ...start, script })
    stage = new Stage(started, program.provider, scene)
    stage.#draw()
    if (start.script) stage.#script = start.script
    return stage
  }

  /** Events recorded so far. */
  get transitions(): readonly Transition[] {
    return this.#transitions
  }

  answer: Script = (request, body) => this.#script(request, body)

  /** The model does this from now on; it knows no results of what it did before. */
  plays(script: Script): void {
    let asked = 0
    this.#script = (request, body) => script({ ...request, results: lastOf(request.results, asked++) }, body)
  }

  /** The model lets every request wait from now on. */
  hold(): void {
    this.#answered = this.started.model.conversations.length
    this.#release = this.started.model.hold()
  }

  /** The model answers what waits; with `hold` later requests wait. */
  release({ hold = false } = {}): void {
    const release = this.#release
    this.#release = undefined
    if (hold) this.hold()
    else this.started.model.hold()()
    release?.()
  }

  /** The model's next answers, one for each request; those that follow wait. */
  replies(reply: Reply | ProviderError): void {
    this.#script = () => reply
    this.release({ hold: true })
  }

  /** True if the program asks its model within this time. */
  async asks(within = ASKS_WITHIN_MS): Promise<boolean> {
    const { model } = this.started
    for (const end = performance.now() + within; performance.now() < end; await Bun.sleep(50)) {
      if (model.conversations.length > this.#answered) return true
      if (this.#exit) throw new Error(`${this.scene}: the program ended`)
    }
    return false
  }

  async asked(): Promise<void> {
    if (await this.asks()) return
    throw new Error(`${this.scene}: it does not ask its model; its screen shows:\n${await this.started.screen()}`)
  }

  async press(keys: string): Promise<void> {
    await this.started.press(keys)
  }

  /** Types a prompt, again where its program was not ready for it, and submits it. */
  async say(text: string): Promise<void> {
    const before = await this.started.screen()
    const isShown = async () => (await this.started.screen()) !== before
    for (let tries = 0; tries < 3 && !(await isShown()); tries++) {
      await this.press(text)
      for (let looks = 0; looks < 80 && !(await isShown()); looks++) await Bun.sleep(LOOK_MS)
    }
    await Bun.sleep(TYPED_MS)
    await this.press('\r')
  }

  /**
   * Waits until the screen is another than the one last recorded, and its program rests: a busy machine may let one that
   * has something to draw wait.
   */
  async quiet(within = QUIET_WITHIN_MS, quietFor = QUIET_MS): Promise<void> {
    let last = this.#screen
    let since = performance.now()
    let used = await this.#cpuTime()
    for (const end = since + within; performance.now() < end && !this.#exit; await Bun.sleep(LOOK_MS)) {
      const screen = (await this.started.screen()).trim()
      const now = performance.now()
      const isSame = screen === last
      last = screen
      if (isSame && now - since < quietFor) continue
      const total = await this.#cpuTime()
      if (isSame && screen !== this.#screen && total - used < (now - since) * WORKS) return
      used = total
      since = now
    }
  }

  async #cpuTime(): Promise<number> {
    const pid = (await this.started.host.list())[0]?.pid
    return pid === undefined ? 0 : cpuTimeOf(PROCESSES, pid)
  }

  /** The model was asked and lets the program wait. */
  async working(name: string): Promise<void> {
    await this.asked()
    await Bun.sleep(WORKS_MS)
    await this.mark(name, 'working')
  }

  /**
   * The program does nothing more. A busy machine may let it wait before it draws: where gc sees another state, it has
   * much longer before that counts.
   */
  async rests(name: string, state: TrueState, asks?: QuestionKind): Promise<void> {
    await this.quiet(undefined, state === 'person' ? ASKED_MS : QUIET_MS)
    await this.mark(name, state, asks)
    const last = this.#transitions.slice(-1)
    const [judged] = await judge({ program: this.program, transitions: last })
    if (!judged || !isWrong(judged)) return
    await this.quiet(LATE_MS, LATE_MS)
    this.#transitions.pop()
    this.#state = last[0]?.from
    await this.mark(name, state, asks)
  }

  /** The program has ended automatically, or by a signal. */
  async ended(name: string, state: 'done' | 'failed'): Promise<void> {
    for (const end = performance.now() + ENDS_WITHIN_MS; !this.#exit; await Bun.sleep(50)) {
      if (performance.now() > end) throw new Error(`${this.scene}: it does not end`)
    }
    this.#add({ name: this.#named(name), state, drawing: '', exit: this.#exit ?? {} })
  }

  /** Records the screen with the state that is true now. */
  async mark(name: string, state: TrueState, asks?: QuestionKind): Promise<void> {
    await this.#whole()
    if (this.#lost) throw this.#lost
    this.#screen = textOf(this.#terminal)
    this.#add({ name: this.#named(name), state, ...(asks && { asks }), drawing: drawingOf(this.#terminal) })
  }

  /** Records the screen as its program had it before it drew anything. */
  blank(): void {
    this.#transitions.unshift({ name: this.#named('nothing drawn yet'), state: 'starting', drawing: this.#blank })
    this.#state ??= 'starting'
  }

  /** Drops the last record, which did not prove true. */
  drop(): void {
    this.#transitions.pop()
  }

  #draw(): void {
    this.#follow().catch((error) => {
      this.#lost = error
    })
  }

  /** Draws all that the program writes, of which its host keeps only the last. */
  async #follow(): Promise<void> {
    for await (const chunk of this.started.host.follow('s', 0, this.#over.signal)) {
      if ('gap' in chunk) throw new Error(`${this.scene}: some of its output is lost`)
      const step = this.#isBlank ? SLICE : chunk.bytes.length
      for (let at = 0; at < chunk.bytes.length; at += step) {
        const slice = chunk.bytes.subarray(at, at + step)
        await new Promise<void>((drawn) => this.#terminal.write(slice, drawn))
        this.#lookForFirst()
      }
      this.#drawnAt = performance.now()
      this.#drawn = chunk.offset + chunk.bytes.length
    }
  }

  /** Waits until the terminal has drawn all, and no part of a picture: programs write one without a pause. */
  async #whole(): Promise<void> {
    for (const end = performance.now() + WHOLE_WITHIN_MS; performance.now() < end && !this.#exit; await Bun.sleep(5)) {
      if (performance.now() - this.#drawnAt < WHOLE_MS) continue
      const { bytes = 0 } = (await this.started.host.list())[0] ?? {}
      if (this.#drawn >= bytes && performance.now() - this.#drawnAt >= WHOLE_MS) return
    }
  }

  #lookForFirst(): void {
    if (!this.#isBlank) return
    this.#isBlank = textOf(this.#terminal) === ''
    if (this.#isBlank) this.#blank = drawingOf(this.#terminal)
  }

  async end(): Promise<void> {
    this.release()
    this.#over.abort()
    await this.started[Symbol.asyncDispose]()
  }

  #named(name: string): string {
    return `${this.scene}: ${name}`
  }

  #add(transition: Transition): void {
    this.#transitions.push({ ...transition, ...(this.#state && { from: this.#state }) })
    this.#state = transition.state
  }
}

/** The name of the folder of a test, where it is not cut. */
const FOLDERS = /gc-test-[A-Za-z0-9]{6}/g

/** Sequence that draws the screen of a terminal. */
const drawingOf = (terminal: TerminalEmulator): string => terminal.draw().replaceAll(FOLDERS, 'gc-test-abcdef')

const textOf = (terminal: TerminalEmulator): string =>
  terminal
    .screen(undefined)
    .lines.map((line) => line.trimEnd())
    .join('\n')
    .trim()

const lastOf = <T>(list: readonly T[], count: number): T[] => list.slice(Math.max(0, list.length - count))
