import { constants } from 'node:os'
import type { Client } from '../src/client/client.ts'
import type { Timers } from '../src/client/follow.ts'
import { Dashboard, type View } from './dashboard.ts'
import type { Machine } from './pages/page.ts'
import { drawFrame } from './parts/frame.ts'
import type { Theme } from './parts/theme.ts'
import { PlainView } from './plain/plain-view.ts'
import { readSettings, type Settings } from './settings/settings.ts'
import type { Problem } from './settings/toml.ts'
import type { Message } from './state/reducer.ts'
import { here, initialState, type State } from './state/state.ts'
import { waitingCount } from './state/waiting.ts'
import type { Input } from './terminal/input.ts'
import { Screen, type Tty } from './terminal/screen.ts'
import { bell, clipboard, notification, title } from './terminal/sequences.ts'

export interface DashboardOptions {
  client: Client
  machine: Machine
  timers: Timers
  now(): number
  env: Readonly<Record<string, string | undefined>>
  /** The text of the person's `tui.toml`; empty without one. */
  config: string
  /** The city to open with; without one, the list of cities. */
  city?: string
  /** Opens the terminal of a session; resolves when the person leaves it or it ends, with a sentence that says so. */
  attach(city: string, session: string): Promise<string>
}

/** What is wrong in a `tui.toml`. */
export const checkConfig = (text: string): readonly Problem[] => readSettings(text, {}).problems

/** Shows the dashboard until the person quits it; the terminal is then as it was, whatever ended it. */
export async function openDashboard(options: DashboardOptions): Promise<void> {
  const { settings, problems } = readSettings(options.config, options.env)
  const tty = { input: process.stdin, output: process.stdout }
  using view = new ScreenView({ tty, settings, env: options.env, attach: options.attach })
  using dashboard = new Dashboard(options, firstState(options, settings, problems), view)
  using _ = restoring(view)
  const ended = view.run(dashboard.dispatch)
  dashboard.start()
  await ended
}

/** The dashboard line by line, for screen readers: changes are said as sentences, commands are lines. */
export async function openPlainDashboard(options: DashboardOptions & { lines: AsyncIterable<string> }): Promise<void> {
  const { settings, problems } = readSettings(options.config, options.env)
  const view = new PlainView({ write: (text) => void process.stdout.write(text), bell: settings.bell })
  const first: State = { ...firstState(options, settings, problems), isScreenReader: true }
  using dashboard = new Dashboard(options, first, view)
  dashboard.start()
  await view.run(options.lines, dashboard)
}

function firstState({ now, city }: DashboardOptions, settings: Settings, problems: readonly Problem[]): State {
  const state = initialState(now(), city, { keymap: settings.keymap, hasMouse: settings.mouse })
  const [first] = problems
  if (!first) return state
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
  const text = `tui.toml:${first.line}:${first.column}: ${first.text}${more}; gc tui --check-config lists all`
  return { ...state, notice: { text, isBad: true } }
}

const ENDING = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const

/** However the process ends, except by SIGKILL, the terminal is given back first. */
function restoring(view: ScreenView): Disposable {
  const leave = () => view[Symbol.dispose]()
  const fail = (error: unknown) => view.fail(error)
  const handlers = ENDING.map((signal) => {
    const end = () => {
      // Leaving the terminal is the first thing that the process does at its exit.
      process.exit(128 + constants.signals[signal])
    }
    process.on(signal, end)
    return () => void process.off(signal, end)
  })
  process.on('exit', leave)
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  return {
    [Symbol.dispose]: () => {
      for (const remove of handlers) remove()
      process.off('exit', leave)
      process.off('uncaughtException', fail)
      process.off('unhandledRejection', fail)
    },
  }
}

/** What the server sends is drawn at most this often; what the person does, at once. */
const FRAME_MS = 100

interface ScreenOptions {
  readonly tty: Tty
  readonly settings: Settings
  readonly env: Readonly<Record<string, string | undefined>>
  /** Opens the terminal of a session on this terminal. */
  attach(city: string, session: string): Promise<string>
}

/** The dashboard on a screen. */
class ScreenView implements View, Disposable {
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
