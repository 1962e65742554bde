import type { TerminalHost } from './host.ts'
import { type Program, type SettleOptions, stand } from './settle.ts'
import { inTurn } from './turns.ts'
import { ProgramEnded, Watch } from './watch.ts'

/** Between two presses: programs read keys that arrive together as one. */
const APART = 200
const WITHIN = 5_000

/**
 * Ends the present turn of a program and leaves it running, with the program's own keys: what Ctrl-C does differs, and
 * it ends some of them. Tells whether the program has an input line and is not busy afterwards; false when it ended.
 */
export function interrupt(
  host: TerminalHost,
  key: string,
  { manners }: Program,
  options: SettleOptions,
): Promise<boolean> {
  return inTurn(host, key, async () => {
    const watch = new Watch(host, key, options.deadlines, options.signal)
    try {
      for (const [at, press] of manners.interrupt.entries()) {
        if (at > 0) await options.deadlines.sleep(APART, options.signal)
        await host.write(key, new TextEncoder().encode(press))
      }
      const enough = { within: WITHIN, settled: true, ...options }
      const { is } = await stand(
        watch,
        manners,
        enough,
        (standing) => standing.is !== 'busy' && standing.is !== 'starting',
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
