import type { View } from './dashboard.ts'
import { drawFrame } from './parts/frame.ts'
import type { Theme } from './parts/theme.ts'
import type { Settings } from './settings/settings.ts'
import type { Message } from './state/reducer.ts'
import { here, type State } from './state/state.ts'
import { waitingCount } from './state/waiting.ts'
import type { Input } from './terminal/input.ts'
import { Screen, type Tty } from './terminal/screen.ts'
import { bell, clipboard, notification, title } from './terminal/sequences.ts'

/** What the server sends is drawn at most this often; what the person does, at once. */
const FRAME_MS = 100

export interface ScreenOptions {
  readonly tty: Tty
  readonly settings: Settings
  readonly env: Readonly<Record<string, string | undefined>>
  /** Opens the terminal of a session on this terminal. */
  attach(city: string, session: string): Promise<string>
}

/** The dashboard on a screen. */
export class ScreenView implements View, Disposable {
  readonly #screen: Screen
  readonly #ended = Promise.withResolvers<void>()
  #theme: Theme
  #state: State | undefined
  #title = ''
  #isDirty = false
  #timer: NodeJS.Timeout | undefined
  #dispatch = (_: Message): void => {}

  constructor(private readonly options: ScreenOptions) {
    const { tty, settings } = options
    this.#theme = settings.theme(settings.isLight)
    this.#screen = new Screen(
      tty,
      {
        input: (input) => this.#onInput(input),
        settled: () => this.#draw(),
        resized: (columns, rows) => {
          this.#dispatch({ type: 'size', columns, rows })
          this.#draw()
        },
      },
      { mouse: settings.mouse },
    )
  }

  /** Takes the terminal and shows the dashboard on it until the person leaves. */
  async run(dispatch: (message: Message) => void): Promise<void> {
    this.#dispatch = dispatch
    this.#screen.take()
    if (this.options.settings.asksBackground) this.#screen.askBackground()
    this.#resize()
    await this.#ended.promise
  }

  changed(state: State): void {
    this.#state = state
    this.#isDirty = true
    this.#timer ??= setTimeout(() => this.#draw(), FRAME_MS)
  }

  exit(): void {
    this.#ended.resolve()
  }

  /** Ends the dashboard with what went wrong. */
  fail(error: unknown): void {
    this.#ended.reject(error)
  }

  async attach(city: string, session: string): Promise<string> {
    this.#screen.leave()
    if (this.options.settings.title) this.#screen.write(title(`${session} · ctrl-] leaves it running`))
    try {
      return await this.options.attach(city, session)
    } finally {
      this.#retake()
    }
  }

  copy(text: string): void {
    this.#screen.write(clipboard(text))
  }

  alert(text: string): void {
    const { settings } = this.options
    this.#screen.write((settings.bell ? bell : '') + notification(settings.notify, text))
  }

  setMouse(on: boolean): void {
    this.#screen.setMouse(on)
  }

  redraw(): void {
    this.#screen.forget()
    this.#isDirty = true
  }

  /** Stops this process and those of its command, as ctrl-z does elsewhere, until the shell continues them. */
  suspend(): void {
    this.#screen.leave()
    const resume = () => {
      clearTimeout(timer)
      process.off('SIGCONT', resume)
      this.#retake()
    }
    process.once('SIGCONT', resume)
    // Where no shell would continue it, the system does not stop it either.
    const timer = setTimeout(resume, NOT_STOPPED_MS)
    process.kill(0, 'SIGTSTP')
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#screen.leave()
  }

  #retake(): void {
    this.#screen.take()
    if (this.#title !== '') this.#screen.write(title(this.#title))
    this.#resize()
  }

  #resize(): void {
    const { columns, rows } = this.#screen
    this.#dispatch({ type: 'size', columns, rows })
    this.#isDirty = true
    this.#draw()
  }

  #onInput(input: Input): void {
    if (input.type === 'background') {
      this.#theme = this.options.settings.theme(input.isLight)
      this.redraw()
    } else {
      this.#dispatch(input)
    }
  }

  #draw(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const state = this.#state
    if (!this.#isDirty || !state) return
    this.#isDirty = !this.#screen.show(drawFrame(state, this.#theme))
    if (this.options.settings.title) this.#retitle(titleOf(state))
  }

  #retitle(wanted: string): void {
    if (wanted === this.#title) return
    this.#title = wanted
    this.#screen.write(title(wanted))
  }
}

const NOT_STOPPED_MS = 500

/** `(2) gc town`: what waits in the open cities comes first, since terminals cut the end. */
function titleOf(state: State): string {
  const { city } = here(state)
  const cities = new Set([city, ...state.tabs.map((tab) => tab.city)])
  const waiting = [...cities].reduce((sum, each) => sum + waitingCount(state, each), 0)
  return `${waiting > 0 ? `(${waiting}) ` : ''}gc ${city}`.trim()
}
