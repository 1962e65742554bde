import type { SessionCreator } from '../../agents/lifecycle/index.ts'
import type { Config } from '../../config/compose/index.ts'
import type { Tx } from '../../core/store/index.ts'
import type { SessionRepository, SessionResolver, SessionRow } from '../../work/sessions/index.ts'

interface MessagedSessionsOptions {
  config: Pick<Config, 'current'>
  repository: SessionRepository
  resolver: SessionResolver
  creator: SessionCreator
}

/** The sessions that external messages name. */
export class MessagedSessions {
  constructor(private readonly options: MessagedSessionsOptions) {}

  find(id: string): SessionRow | undefined {
    return this.options.repository.find(id)
  }

  /** The id of the session that a name means; the name itself when it means none. */
  idOf(name: string): string {
    try {
      return this.options.resolver.find(name)?.id ?? name
    } catch {
      return name
    }
  }

  /** The configured named session that a name means, by its qualified name. */
  named(name: string): string | undefined {
    try {
      return this.options.resolver.named(name)?.qualified
    } catch {
      return undefined
    }
  }

  /** The live session of a named session, if it has one; throws when another session has its name. */
  liveOf(named: string): SessionRow | undefined {
    const row = this.options.resolver.find(named)
    return row?.state === 'closed' ? undefined : row
  }

  /** The same, which is created when there is none. */
  ensureNamed(tx: Tx, name: string): SessionRow {
    const live = this.liveOf(name)
    if (live) return live
    const { config, creator } = this.options
    const named = config.current.namedSessions.find(({ qualified }) => qualified === name)
    if (!named) throw new Error(`there is no [[named_session]] ${name} any more`)
    return creator.createNamed(tx, named)
  }
}
