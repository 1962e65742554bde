import type { AgentConfig } from '../../config/agents/index.ts'
import type { CityConfig } from '../../config/city/index.ts'
import type { ConfineMode } from '../../config/declare/index.ts'
import type { Confinement } from '../../host/protocol/index.ts'
import { isRunning, type SessionRepository, type SessionRow } from '../../work/sessions/index.ts'
import type { UnconfinedList } from './schema.ts'

/** Sandbox mode of a started program, in the words of the configuration. */
export function modeOfStart(confine: Confinement | undefined): ConfineMode {
  if (!confine) return 'off'
  return confine.network === 'open' ? 'network' : 'default'
}

/** Lists sessions that run unconfined in a city with sandboxed ones. */
export class UnconfinedSessions {
  #agents: readonly AgentConfig[] = []
  #isAsked = false

  constructor(
    private readonly config: { readonly current: Pick<CityConfig, 'agents' | 'defaultConfine'> },
    private readonly sessions: Pick<SessionRepository, 'live'>,
  ) {}

  list(): UnconfinedList {
    const found = this.sessions.live().filter((row) => this.has(row))
    const items = found.map(({ id, sessionName, template }) => ({
      session_id: id,
      session_name: sessionName,
      template,
    }))
    return { items, total: items.length }
  }

  /** True if nothing confines a running session although its agent, or another of the city, should be confined. */
  has(row: SessionRow): boolean {
    return isRunning(row) && row.confined === 'off' && this.#isAskedFor()
  }

  /** Looked up once for each configuration, since every session of a list asks. */
  #isAskedFor(): boolean {
    const { agents, defaultConfine } = this.config.current
    if (agents !== this.#agents) {
      this.#agents = agents
      this.#isAsked = defaultConfine !== 'off' || agents.some(({ confine }) => confine !== 'off')
    }
    return this.#isAsked
  }
}
