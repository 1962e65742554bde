import { cpuTimeOf } from '../../../../src/host/process/cpu-time.ts'
import { ProcessTable } from '../../../../src/host/process/process-table.ts'
import { TerminalEmulator } from '../../../../src/host/server/terminal-emulator.ts'
import type { Transition, TrueState } from '../../states/recording.ts'
import { type StartedProgram, type StartOptions, startProgram } from '../asked-program.ts'
import type { ProviderError, Reply, Script } from '../model-server.ts'
import type { Program } from '../programs.ts'

export const SIZE = { cols: 120, rows: 40 } as const
const LOOK_MS = 150
/** Without a change for so long, a screen shows what its program has come to; a clock in it ticks once a second. */
const QUIET_MS = 1_600
const QUIET_WITHIN_MS = 12_000
/** So long a program has at most to ask its model, or to show something. */
const ASKS_WITHIN_MS = 120_000
const WORKS_MS = 1_500
/** The part of a processor that a program uses at most that only blinks. */
const WORKS = 0.06
const PROCESSES = new ProcessTable()
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

  private constructor(
    readonly started: StartedProgram,
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
    stage = new Stage(started, scene)
    if (start.script) stage.#script = start.script
    return stage
  }

  /** What was recorded so far. */
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

  /** The model answers what waits; with `hold` whatever is asked next waits in turn. */
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

  /** Whether the program asks its model within this time. */
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
    const shown = async () => (await this.started.screen()).split(text).length
    const before = await shown()
    for (let tries = 0; tries < 3 && (await shown()) === before; tries++) {
      await this.press(text)
      for (let looks = 0; looks < 40 && (await shown()) === before; looks++) await Bun.sleep(LOOK_MS)
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

  /** The program does nothing more by itself. */
  async rests(name: string, state: TrueState): Promise<void> {
    await this.quiet()
    await this.mark(name, state)
  }

  /** The program has ended by itself, or by a signal. */
  async ended(name: string, state: 'done' | 'failed'): Promise<void> {
    for (const end = performance.now() + ENDS_WITHIN_MS; !this.#exit; await Bun.sleep(50)) {
      if (performance.now() > end) throw new Error(`${this.scene}: it does not end`)
    }
    const { cols, rows } = SIZE
    this.#add({ name: this.#named(name), state, cols, rows, drawing: '', exit: this.#exit ?? {} })
  }

  /** Records the screen with the state that is true now. */
  async mark(name: string, state: TrueState): Promise<void> {
    const bytes = await this.started.output()
    this.#screen = (await this.started.screen()).trim()
    this.#add({ name: this.#named(name), state, ...SIZE, drawing: await drawingOf(bytes) })
  }

  /** Records the screen as its program had it before it drew anything. */
  async blank(): Promise<void> {
    const bytes = await this.started.output()
    let [blank, drawn] = [0, bytes.length]
    while (drawn - blank > 1) {
      const middle = (blank + drawn) >> 1
      if ((await emulated(bytes.subarray(0, middle))).screen(undefined).lines.every((line) => line === ''))
        blank = middle
      else drawn = middle
    }
    const drawing = await drawingOf(bytes.subarray(0, blank))
    this.#transitions.unshift({ name: this.#named('nothing drawn yet'), state: 'starting', ...SIZE, drawing })
    this.#state ??= 'starting'
  }

  /** Drops the last record, which did not prove true. */
  drop(): void {
    this.#transitions.pop()
  }

  async end(): Promise<void> {
    this.release()
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

/** What draws the screen on which these bytes were written. */
const drawingOf = async (bytes: Uint8Array): Promise<string> =>
  (await emulated(bytes)).draw().replaceAll(FOLDERS, 'gc-test-abcdef')

async function emulated(bytes: Uint8Array): Promise<TerminalEmulator> {
  const emulator = new TerminalEmulator(SIZE.cols, SIZE.rows, { answer() {}, title() {} })
  await new Promise<void>((drawn) => emulator.write(bytes, drawn))
  return emulator
}

const lastOf = <T>(list: readonly T[], count: number): T[] => list.slice(Math.max(0, list.length - count))
