import type { Deadlines } from '../../core/deadlines.ts'
import type { TerminalHost } from './host.ts'
import type { TerminalProfile } from './profile.ts'
import { type Standing, standing } from './standing.ts'
import { Watch } from './watch.ts'

/** A program as far as its terminal is concerned. */
export interface Program {
  manners: TerminalProfile
}

export interface SettleOptions {
  deadlines: Deadlines
  /** Gives up; its reason says why. */
  signal?: AbortSignal
  /** How long everything may take, in milliseconds; 30 seconds when not given. */
  within?: number
  /** Says that the program was seen ready before, so that one without signs is not waited for again. */
  settled?: boolean
}

const WITHIN = 30_000
/** On a screen that is never quiet, a sign counts when it has stood this long. */
export const STEADY = 1_500

/** Waits until the program has an input line or asks a person something; else tells where it stood when time was up. */
export async function settle(
  host: TerminalHost,
  key: string,
  program: Program,
  options: SettleOptions,
): Promise<Standing> {
  const watch = new Watch(host, key, options.deadlines, options.signal)
  try {
    return await stand(watch, program.manners, options, ({ is }) => is !== 'starting' && is !== 'busy')
  } finally {
    watch.close()
  }
}

/** Where the program stands once that is `enough` and steady; else where it stood when time was up. */
export async function stand(
  watch: Watch,
  manners: TerminalProfile,
  { deadlines, within = WITHIN, settled = false }: SettleOptions,
  enough: (standing: Standing) => boolean,
): Promise<Standing> {
  let last: Standing = { is: 'starting' }
  const passed = { delay: settled, steady: false }
  const pass = (what: keyof typeof passed) => () => {
    passed[what] = true
    watch.look()
  }
  const timers = [deadlines.after(manners.readyDelay, pass('delay')), deadlines.after(STEADY, pass('steady'))]
  try {
    const seen = await watch.until(within, ({ screen, quiet }) => {
      last = standing(screen, manners, passed.delay)
      return enough(last) && (quiet || passed.steady) ? last : undefined
    })
    return seen ?? last
  } finally {
    for (const timer of timers) timer.cancel()
  }
}
