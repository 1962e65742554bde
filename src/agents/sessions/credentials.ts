import { lastSegment } from '../../core/text/index.ts'
import type { SessionCaller } from '../../http/caller.ts'
import type { LiveToken, TokenKind } from '../../http/tokens.ts'
import {
  namesOf,
  type SessionRepository,
  type SessionResolver,
  type SessionRow,
  type SessionTokens,
  type Workload,
  workNamesOf,
} from '../../work/sessions/index.ts'
import type { LaunchPlanner } from '../launch/index.ts'

interface SessionCredentialsOptions {
  city: string
  repository: SessionRepository
  resolver: Pick<SessionResolver, 'find'>
  tokens: SessionTokens
  launchPlanner: Pick<LaunchPlanner, 'agent'>
  workload: Pick<Workload, 'activeBead'>
}

/** Identifies the sessions that call. */
export class SessionCredentials implements TokenKind {
  constructor(private readonly options: SessionCredentialsOptions) {}

  /** The session whose token has this hash; `ended` when its incarnation is over. */
  caller(hash: string): SessionCaller | 'ended' | undefined {
    const { city, repository, tokens, launchPlanner, workload } = this.options
    const owner = tokens.find(hash)
    if (owner === undefined || owner === 'ended') return owner
    const row = repository.find(owner.session)
    if (!row || row.state === 'closed') return 'ended'
    const declared = row.kind === 'agent' ? launchPlanner.agent(row.template) : undefined
    return {
      ...{ kind: 'session', city, session: row.id, names: namesOf(row), agent: row.template },
      isCalled: (name) => this.#isShortName(row, name),
      get bead() {
        return workload.activeBead(workNamesOf(row))
      },
      declaredIn: declared?.block.file ?? 'city.toml',
      may: declared?.may ?? [],
    }
  }

  /**
   * True if a name without its rig is that of the session, and of no agent or other session that bears just this name.
   */
  #isShortName(row: SessionRow, name: string): boolean {
    if (!namesOf(row).some((full) => full.includes('/') && lastSegment(full) === name)) return false
    const { launchPlanner, resolver } = this.options
    if (launchPlanner.agent(name)) return false
    try {
      const bearer = resolver.find(name)
      return bearer === undefined || bearer.id === row.id || !namesOf(bearer).includes(name)
    } catch {
      return true
    }
  }

  /** True if a name is one of the calling session. */
  isOwn(caller: SessionCaller, name: string): boolean {
    try {
      return this.options.resolver.find(name)?.id === caller.session
    } catch {
      return false
    }
  }

  listLive(): LiveToken[] {
    return this.options.tokens.listLive()
  }
}
