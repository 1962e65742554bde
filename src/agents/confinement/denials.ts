import { homedir } from 'node:os'
import type { AgentConfig, CityConfig } from '../../config/city-config.ts'
import { contains, voids } from '../../config/confinement/obstacle.ts'
import type { ConfineMode } from '../../config/declare/confine.ts'
import { type CountedDenial, readDenials } from '../../host/confine/denials.ts'
import { outerSession } from '../../host/confine/outer.ts'
import type { SessionResolver } from '../sessions/resolver.ts'
import { isRunning } from '../sessions/running.ts'
import type { SessionRow } from '../sessions/table.ts'
import { type ConfinementPlace, privateFolder } from './confinement.ts'
import type { Denial, DenialList } from './schema.ts'
import type { UnconfinedSessions } from './unconfined.ts'

interface DenialsOptions {
  readonly place: Pick<ConfinementPlace, 'path' | 'home'>
  readonly config: { readonly current: CityConfig }
  readonly sessions: Pick<SessionResolver, 'resolve'>
  readonly unconfined: Pick<UnconfinedSessions, 'has'>
}

/** What confined sessions of a city were refused. */
export class Denials {
  #inherited: boolean | undefined

  constructor(private readonly options: DenialsOptions) {}

  /** Whether gc runs in a confined session itself; that never changes. */
  get #isInherited(): boolean {
    this.#inherited ??= outerSession() !== undefined
    return this.#inherited
  }

  /** What a session was refused since it was created. */
  list(id: string): DenialList {
    const { place, config, sessions, unconfined } = this.options
    const row = sessions.resolve(id, { past: true })
    const agent =
      row.kind === 'agent' ? config.current.agents.find(({ qualified }) => qualified === row.template) : undefined
    const counted = readDenials(privateFolder(place.path, row.id))
    const items = counted.map((denial) => this.#view(denial, agent)).sort((a, b) => b.count - a.count)
    return {
      ...{ session_id: row.id, confine: this.#modeOf(row, agent), items },
      ...(isRunning(row) && row.confined !== null && { confined: row.confined }),
      ...(agent && agent.confine !== 'off' && this.#isInherited && { inherited: true }),
      ...(unconfined.has(row) && { unconfined: true }),
      total: items.reduce((sum, { count }) => sum + count, 0),
    }
  }

  #modeOf({ kind }: Pick<SessionRow, 'kind'>, agent: AgentConfig | undefined): ConfineMode {
    if (agent) return agent.confine
    return kind === 'agent' ? 'off' : this.options.config.current.defaultConfine
  }

  #view({ call, target, count, lastAt }: CountedDenial, agent: AgentConfig | undefined): Denial {
    const allow = this.#lineFor(call, target, agent)
    return { call, target, count, last_at: lastAt, ...(allow !== undefined && { allow }) }
  }

  /** The line that would allow it, unless that would void confinement. */
  #lineFor(call: string, target: string, agent: AgentConfig | undefined): string | undefined {
    const port = LOOPBACK.exec(target)?.[1]
    if (call === 'connect' && port !== undefined) return `ports = [${port}]`
    if (call === 'connect' && ADDRESS.test(target)) return 'mode = "network"'
    if (call === 'connect' && NAMED.test(target)) return `allow_hosts = ["${target.replace(/:443$/, '')}"]`
    if (!target.startsWith('/')) return undefined
    const { place, config } = this.options
    const { rigs } = config.current
    const around = { home: homedir(), gcHome: place.home, city: place.path, rigs, rig: agent?.dir }
    return voids(target, 'write', around) === undefined ? `write = ["${inHome(target)}"]` : undefined
  }
}

/** As connections are told of: `127.0.0.1:5432` and `[0:0:0:0:0:0:0:1]:5432`. */
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|\[0:0:0:0:0:0:0:1\]):(\d+)$/
const ADDRESS = /^(?:\d+\.\d+\.\d+\.\d+|\[[0-9a-f:]+\]):\d+$/
/** A host that the session's proxy refused. */
const NAMED = /^[A-Za-z0-9_.-]+:\d+$/

const inHome = (path: string): string =>
  contains(homedir(), path) && path !== homedir() ? `~${path.slice(homedir().length)}` : path
