import { isRunning, type SessionRepository } from '../../work/sessions/index.ts'
import type { SessionCounter } from './city-status.ts'

/** Counts sessions from the rows of those that are not over. */
export const sessionCounter = (repository: SessionRepository): SessionCounter => ({
  counts() {
    const live = repository.live()
    return {
      active: live.filter(isRunning).length,
      suspended: live.filter(({ state }) => state === 'suspended').length,
    }
  },
  named: (identity) => repository.liveByName('named', identity)[0]?.state,
})
