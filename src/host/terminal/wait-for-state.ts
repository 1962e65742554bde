import type { Deadlines } from '../../core/deadlines.ts'
import type { TerminalProfile } from '../../programs/terminal-profile.ts'
import { type ProgramState, stateOf } from './program-state.ts'
import { ScreenWatcher } from './screen-watcher.ts'
import type { TerminalHost } from './terminal-host.ts'

/** A program as far as its terminal is concerned. */
export interface TerminalProgram {
  profile: TerminalProfile
}

export interface SettleOptions {
  deadlines: Deadlines
  /** Gives up; its reason says why. */
  signal?: AbortSignal
  /** Maximum time everything may take, in milliseconds; 30 seconds when not given. */
  within?: number
  /** Says that the program was seen ready before, so that one without signs is not waited for again. */
  settled?: boolean
}

const WITHIN = 30_000
/** On a screen that is never quiet, a sign counts when it has stood this long. */
export const STEADY_MS = 1_500

/** Waits until the program has an input line or asks a person something; otherwise returns its state when time was up. */
export async function waitUntilSettled(
  host: TerminalHost,
  key: string,
  program: TerminalProgram,
  options: SettleOptions,
): Promise<ProgramState> {
  const watch = new ScreenWatcher(host, key, options.deadlines, options.signal)
  try {
    return await waitForState(watch, program.profile, options, ({ is }) => is !== 'starting' && is !== 'busy')
  } finally {
    watch.close()
  }
}

/** State of the program once it is `enough` and steady; else the last one. */
export async function waitForState(
  watch: ScreenWatcher,
  profile: TerminalProfile,
  { deadlines, within = WITHIN, settled = false }: SettleOptions,
  enough: (state: ProgramState) => boolean,
): Promise<ProgramState> {
  let last: ProgramState = { is: 'starting' }
  const passed = { delay: settled, steady: false }
  const pass = (what: keyof typeof passed) => () => {
    passed[what] = true
    watch.check()
  }
  const timers = [deadlines.after(profile.readyDelay, pass('delay')), deadlines.after(STEADY_MS, pass('steady'))]
  try {
    const seen = await watch.until(within, ({ screen, quiet }) => {
      last = stateOf(screen, profile, passed.delay)
      return enough(last) && (quiet || passed.steady) ? last : undefined
    })
    return seen ?? last
  } finally {
    for (const timer of timers) timer.cancel()
  }
}
