import { withInputLock } from './input-lock.ts'
import { ProgramEnded, ScreenWatcher } from './screen-watcher.ts'
import type { TerminalHost } from './terminal-host.ts'
import { type SettleOptions, type TerminalProgram, waitForState } from './wait-for-state.ts'

/** Between two presses: programs read keys that arrive together as one. */
const APART = 200
const WITHIN = 5_000

/**
 * Ends the present turn of a program and leaves it running, with the program's own keys: what Ctrl-C does differs, and
 * it ends some of them. Returns whether the program has an input line and is not busy afterwards; false when it ended.
 */
export function interrupt(
  host: TerminalHost,
  key: string,
  { profile }: TerminalProgram,
  options: SettleOptions,
): Promise<boolean> {
  return withInputLock(host, key, async () => {
    const watch = new ScreenWatcher(host, key, options.deadlines, options.signal)
    try {
      for (const [at, press] of profile.interrupt.entries()) {
        if (at > 0) await options.deadlines.sleep(APART, options.signal)
        await host.write(key, new TextEncoder().encode(press))
      }
      const enough = { within: WITHIN, settled: true, ...options }
      const { is } = await waitForState(
        watch,
        profile,
        enough,
        (state) => state.is !== 'busy' && state.is !== 'starting',
      )
      return is === 'ready' || is === 'typing'
    } catch (error) {
      if (error instanceof ProgramEnded) return false
      throw error
    } finally {
      watch.close()
    }
  })
}
