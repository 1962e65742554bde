import type { Writable } from 'node:stream'
import { type Instance, render } from 'ink'
import { createElement } from 'react'
import { App, type Shown, type Stage } from './components/app.tsx'
import type { Look } from './components/look.ts'
import type { View } from './dashboard.ts'
import type { Settings } from './settings/settings.ts'
import type { Message } from './state/reducer.ts'
import { here, type State } from './state/state.ts'
import { waitingCount } from './state/waiting.ts'
import {
  askBackground,
  bell,
  clipboard,
  emptyScreen,
  mouse,
  notification,
  plainInput,
  savedTitle,
  title,
} from './terminal/sequences.ts'
import { type Signal, type Source, TerminalInput } from './terminal/terminal-input.ts'

/** Minimum pause between frames of what the server sends. Input of the person is drawn immediately. */
const FRAME_MS = 200
/** Maximum rate at which Ink draws. */
const MAX_FPS = 250
const NOT_STOPPED_MS = 500

interface ScreenOptions {
  readonly input: Source
  readonly output: Writable & { readonly columns: number; readonly rows: number }
  readonly settings: Settings
  /** Opens the terminal of a session on this terminal. */
  attach(city: string, session: string): Promise<string>
}

/** The dashboard on a screen, drawn by Ink. */
export class ScreenView implements View, Stage, Disposable {
  readonly #ended = Promise.withResolvers<void>()
  readonly #listeners = new Set<() => void>()
  #look: Look
  #state: State
  #shown: Shown
  #instance: Instance | undefined
  #app: Parameters<Stage['mounted']>[0] | undefined
  #hasMouse: boolean
  /** Whether the terminal is in the modes of the dashboard. */
  #isTaken = false
  #title = ''
  #timer: NodeJS.Timeout | undefined
  #dispatch = (_: Message): void => {}

  constructor(
    private readonly options: ScreenOptions,
    first: State,
  ) {
    const { settings } = options
    this.#look = { theme: settings.theme(settings.isLight), icons: settings.icons }
    this.#hasMouse = settings.mouse
    this.#state = first
    this.#shown = { state: first, look: this.#look }
  }

  get shown(): Shown {
    return this.#shown
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Takes the terminal and shows the dashboard on it until the person leaves. */
  async run(dispatch: (message: Message) => void): Promise<void> {
    this.#dispatch = dispatch
    const { input, output, settings } = this.options
    dispatch({ type: 'size', columns: output.columns || 80, rows: output.rows || 24 })
    this.settle()
    const stdin = new TerminalInput(input, (signal) => this.#onSignal(signal))
    // A terminal that is not raw yet when it shows the first page writes keys into it.
    stdin.setRawMode(true)
    this.#isTaken = true
    output.write(savedTitle[0] + (this.#hasMouse ? mouse(true) : ''))
    this.#instance = render(createElement(App, { stage: this }), {
      ...{ stdin, stdout: output, interactive: true, alternateScreen: true, incrementalRendering: true },
      ...{ exitOnCtrlC: false, patchConsole: false, isScreenReaderEnabled: false, maxFps: MAX_FPS },
    })
    if (settings.asksBackground) {
      stdin.awaitAnswer()
      output.write(askBackground)
    }
    this.#instance.waitUntilExit().then(
      () => this.#ended.resolve(),
      (error) => this.#ended.reject(error),
    )
    await this.#ended.promise
  }

  dispatch(message: Message): void {
    this.#dispatch(message)
  }

  changed(state: State): void {
    this.#state = state
    this.#timer ??= setTimeout(() => this.settle(), FRAME_MS)
  }

  /** Shows the state unchanged; later, while the terminal does not keep up with what is written. */
  settle(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const { output, settings } = this.options
    if (output.writableNeedDrain) {
      this.#timer = setTimeout(() => this.settle(), FRAME_MS)
      return
    }
    if (this.#shown.state !== this.#state || this.#shown.look !== this.#look) {
      this.#shown = { state: this.#state, look: this.#look }
      for (const listener of this.#listeners) listener()
    }
    if (settings.title && this.#instance) this.#retitle(titleOf(this.#state))
  }

  mounted(app: Parameters<Stage['mounted']>[0]): void {
    this.#app = app
  }

  exit(): void {
    this.#ended.resolve()
  }

  /** Ends the dashboard with what went wrong. */
  fail(error: unknown): void {
    this.#ended.reject(error)
  }

  async attach(city: string, session: string): Promise<string> {
    let said = ''
    await this.#lend(async () => {
      if (this.options.settings.title) this.options.output.write(title(`${session} · ctrl-] leaves it running`))
      said = await this.options.attach(city, session)
    })
    return said
  }

  copy(text: string): void {
    this.options.output.write(clipboard(text))
  }

  alert(text: string): void {
    const { settings, output } = this.options
    output.write((settings.bell ? bell : '') + notification(settings.notify, text))
  }

  setMouse(on: boolean): void {
    this.#hasMouse = on
    this.options.output.write(mouse(on))
  }

  redraw(): void {
    this.#instance?.clear()
    this.options.output.write(emptyScreen)
    this.#instance?.rerender(createElement(App, { stage: this }))
  }

  /** Stops this process and those of its command, as ctrl-z does elsewhere, until the shell continues them. */
  suspend(): void {
    void this.#lend(async () => {
      const continued = Promise.withResolvers<void>()
      process.once('SIGCONT', continued.resolve)
      // Where no shell would continue it, the system does not stop it either.
      const timer = setTimeout(continued.resolve, NOT_STOPPED_MS)
      process.kill(0, 'SIGTSTP')
      await continued.promise
      clearTimeout(timer)
      process.off('SIGCONT', continued.resolve)
    })
  }

  /** Gives the terminal back as it was; may be called twice. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    if (!this.#isTaken) return
    this.#isTaken = false
    const instance = this.#instance
    this.#instance = undefined
    const { input, output } = this.options
    output.write(mouse(false))
    instance?.unmount()
    output.write(plainInput + savedTitle[1])
    input.setRawMode(false)
    input.pause()
  }

  /** Gives the terminal to something else for as long as that takes; the dashboard is drawn again after it. */
  async #lend(task: () => Promise<void>): Promise<void> {
    const { output } = this.options
    output.write(mouse(false) + savedTitle[1])
    try {
      await this.#app?.suspendTerminal(task)
    } finally {
      output.write(savedTitle[0] + (this.#hasMouse ? mouse(true) : '') + (this.#title === '' ? '' : title(this.#title)))
    }
  }

  #onSignal(signal: Signal): void {
    if (signal.type === 'background') {
      this.#look = { ...this.#look, theme: this.options.settings.theme(signal.isLight) }
    } else {
      this.#dispatch(signal)
    }
    this.settle()
  }

  #retitle(wanted: string): void {
    if (wanted === this.#title) return
    this.#title = wanted
    this.options.output.write(title(wanted))
  }
}

/** `(2) gc town`: what waits in the open cities comes first, since terminals cut the end. */
function titleOf(state: State): string {
  const { city } = here(state)
  const cities = new Set([city, ...state.tabs.map((tab) => tab.city)])
  const waiting = [...cities].reduce((sum, each) => sum + waitingCount(state, each), 0)
  return `${waiting > 0 ? `(${waiting}) ` : ''}gc ${city}`.trim()
}
