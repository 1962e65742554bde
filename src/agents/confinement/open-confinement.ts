import type { CityConfig } from '../../config/city/index.ts'
import type { SessionRepository, SessionResolver } from '../../work/sessions/index.ts'
import type { ConfinementPlace } from './confinement.ts'
import { Denials } from './denials.ts'
import { ConfinedAgents } from './token-demand.ts'
import { UnconfinedSessions } from './unconfined.ts'

interface ConfinementOptions extends Pick<ConfinementPlace, 'path' | 'home' | 'tokenRequirement'> {
  readonly name: string
  readonly config: { readonly current: CityConfig; onChange(listener: () => void): () => void }
  readonly sessionRepository: Pick<SessionRepository, 'live'>
}

/** Opens the services on the sandboxes of a city's sessions. */
export function openConfinement(options: ConfinementOptions, sessions: Pick<SessionResolver, 'resolve'>) {
  const { config, sessionRepository } = options
  const unconfined = new UnconfinedSessions(config, sessionRepository)
  return {
    confinedAgents: new ConfinedAgents(options.name, options.config, options.tokenRequirement),
    unconfined,
    denials: new Denials({ place: options, config, sessions, unconfined }),
  }
}
