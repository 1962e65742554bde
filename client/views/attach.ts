import type { Action } from './page.ts'

/** Opens the terminal of a session, from wherever something is about it; without one it says why not. */
export const attachTo = (session: string | undefined, skipReason: string): Action => ({
  key: 'a',
  name: 'attach',
  help: 'open the terminal of its session here; ctrl-] leaves it running',
  disabled: session ? undefined : skipReason,
  run: async () => ({ attach: session ?? '' }),
})
