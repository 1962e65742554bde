import { constants } from 'node:os'
import type { Machine } from '../client/views/index.ts'
import type { Client } from '../src/client/client.ts'
import type { Timers } from '../src/client/follow.ts'
import { Dashboard } from './dashboard.ts'
import { Syntax } from './data/syntax.ts'
import { PlainView } from './plain/plain-view.ts'
import { ScreenView } from './screen-view.ts'
import { readSettings, type Settings } from './settings/settings.ts'
import type { Problem } from './settings/toml.ts'
import { hintsOf } from './state/hints.ts'
import { initialState, type State } from './state/state.ts'

export interface DashboardOptions {
  client: Client
  machine: Machine
  timers: Timers
  now(): number
  env: Readonly<Record<string, string | undefined>>
  /** The text of the person's `tui.toml`; empty without one. */
  config: string
  /** Whether this person sees the dashboard for the first time. */
  isFirstRun: boolean
  /** The city to open with; without one, the list of cities. */
  city?: string
  /** Opens the terminal of a session; resolves when the person leaves it or it ends, with a sentence about it. */
  attach(city: string, session: string): Promise<string>
}

/** Problems in a `tui.toml`. */
export const checkConfig = (text: string): readonly Problem[] => readSettings(text, {}).problems

/** Shows the dashboard until the person quits it; the terminal is then as it was, whatever ended it. */
export async function openDashboard(options: DashboardOptions): Promise<void> {
  const { settings, problems } = readSettings(options.config, options.env)
  const first = firstState(options, settings, problems)
  const tty = { input: process.stdin, output: process.stdout }
  using view = new ScreenView({ ...tty, settings, attach: options.attach }, first)
  using syntax = new Syntax()
  const machine = settings.showsSyntax ? { ...options.machine, syntax: syntax.read } : options.machine
  using dashboard = new Dashboard({ ...options, machine }, first, view)
  using _ = restoring(view)
  const ended = view.run(dashboard.dispatch)
  dashboard.start()
  await ended
}

/** The dashboard line by line, for screen readers: changes are said as sentences, commands are lines. */
export async function openPlainDashboard(options: DashboardOptions & { lines: AsyncIterable<string> }): Promise<void> {
  const { settings, problems } = readSettings(options.config, options.env)
  const view = new PlainView({ write: (text) => void process.stdout.write(text), bell: settings.bell })
  const hints = options.isFirstRun ? hintsOf(settings.keymap) : []
  const first: State = { ...firstState({ ...options, isFirstRun: false }, settings, problems), isScreenReader: true }
  using dashboard = new Dashboard(options, first, view)
  dashboard.start()
  await view.run(options.lines, dashboard, hints.map((hint) => hint.join(': ')).join('. '))
}

function firstState(options: DashboardOptions, settings: Settings, problems: readonly Problem[]): State {
  const { now, city, isFirstRun } = options
  const { keymap, custom, mouse: hasMouse } = settings
  const state = initialState(now(), city, { keymap, custom, hasMouse, isFirstRun })
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
