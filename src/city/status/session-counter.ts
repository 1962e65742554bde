import type { BuiltParts } from '../../agents/sessions/parts.ts'
import { isRunning } from '../../agents/sessions/view.ts'
import type { SessionCounter } from './city-status.ts'

/** Counts sessions from the rows of those that are not over. */
export const sessionCounter = ({ book }: Pick<BuiltParts, 'book'>): SessionCounter => ({
  counts() {
    const live = book.live()
    return {
      active: live.filter(isRunning).length,
      suspended: live.filter(({ state }) => state === 'suspended').length,
      draining: new Set(live.filter(({ state }) => state === 'draining').map(({ sessionName }) => sessionName)),
    }
  },
  named: (identity) => book.liveByName('named', identity)[0]?.state,
})
