import { UnconfinedSessions } from '../../agents/confinement/unconfined.ts'
import type { SessionRepository } from '../../agents/sessions/repository.ts'
import { isRunning } from '../../agents/sessions/running.ts'
import type { Config } from '../../config/config.ts'
import type { SessionCounter } from './city-status.ts'

/** Counts sessions from the rows of those that are not over. */
export const sessionCounter = (repository: SessionRepository, config: Pick<Config, 'current'>): SessionCounter => ({
  counts() {
    const unconfined = new UnconfinedSessions(config)
    const live = repository.live()
    return {
      active: live.filter(isRunning).length,
      suspended: live.filter(({ state }) => state === 'suspended').length,
      unconfined: live.filter((row) => unconfined.has(row)).length,
      draining: new Set(live.filter(({ state }) => state === 'draining').map(({ sessionName }) => sessionName)),
    }
  },
  named: (identity) => repository.liveByName('named', identity)[0]?.state,
})
