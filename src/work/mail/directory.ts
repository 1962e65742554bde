import type { CityConfig } from '../../config/city-config.ts'
import { AppError } from '../../core/errors.ts'

/** What mail has to know of a session. */
export interface Correspondent {
  id: string
  kind: 'agent' | 'provider'
  template: string
  state: string
  sessionName: string
  alias: string | null
  named: string | null
  agentName: string
  generation: number
  pid: number | null
}

/** Where sessions are looked up. */
export interface Register {
  find(id: string): Correspondent | undefined
  liveByName(column: 'sessionName' | 'alias' | 'named' | 'agentName', name: string): Correspondent[]
  closedByName(column: 'sessionName' | 'alias', name: string): Correspondent[]
  liveByTemplate(template: string): Correspondent[]
}

/** Where mail goes, and what its recipient is called there. */
export interface Address {
  /** `human`, a session's id, or the name of an agent or a named session. */
  route: string
  shown: string
  session?: string
}

export const HUMAN = 'human'

const leaf = (name: string): string => name.slice(name.lastIndexOf('/') + 1)
const isLive = ({ state }: Correspondent): boolean => state !== 'closed'

/** Tells whom a name means to those who write, and whose mail it means to those who read. */
export class Directory {
  constructor(
    private readonly config: {
      readonly current: {
        readonly agents: readonly Pick<CityConfig['agents'][number], 'qualified'>[]
        readonly namedSessions: readonly Pick<CityConfig['namedSessions'][number], 'qualified'>[]
      }
    },
    private readonly register: Register,
  ) {}

  /** Where mail for this name goes; refuses a name that is nobody's, or may be several's. */
  address(token: string): Address {
    const wanted = token.trim()
    if (wanted === HUMAN) return { route: HUMAN, shown: HUMAN }
    const [found, ...others] = this.#exact(wanted)
    if (found) return others.length === 0 ? found : ambiguous(wanted, [found, ...others])
    const [likely, ...more] = this.#short(wanted)
    if (likely) return more.length === 0 ? likely : ambiguous(wanted, [likely, ...more])
    throw new AppError(
      'invalid-request',
      `nobody here is called "${wanted}": address a session by id, alias or name, an agent by its name, or human`,
    )
  }

  /** Every route whose mail is for whoever bears this name. */
  routes(token: string): string[] {
    const wanted = token.trim()
    if (wanted === HUMAN) return [HUMAN]
    const session = this.#session(wanted) ?? this.#past(wanted)
    const short = session ? undefined : this.#only(this.#short(wanted))
    const bearer = session ?? (short?.session === undefined ? undefined : this.register.find(short.session))
    return [...new Set([wanted, ...(short ? [short.route] : []), ...(bearer ? routesOf(bearer) : [])])]
  }

  /** Where an answer to what a session sent goes: to it, or to whoever stands in for it when it is over. */
  back(session: string): Address | undefined {
    const row = this.register.find(session)
    if (!row) return undefined
    if (isLive(row) || row.named !== null || !this.#isAgent(row)) return addressOf(row)
    return { route: row.template, shown: row.template }
  }

  /** The running sessions that mail at a route is for; the one it was addressed to first, then the oldest. */
  running(route: string, addressed: string | null): Correspondent[] {
    const own = addressed === null ? undefined : this.register.find(addressed)
    const all = [
      ...(own ? [own] : []),
      ...[this.register.find(route)].filter((row) => row !== undefined),
      ...this.register.liveByName('named', route),
      ...this.register.liveByTemplate(route).reverse(),
    ]
    const runs = (row: Correspondent) => row.state === 'active' && row.pid !== null && routesOf(row).includes(route)
    return [...new Map(all.filter(runs).map((row) => [row.id, row])).values()]
  }

  /** Who gets what waits at a route to which nobody will come any more; undefined when somebody may. */
  heir(route: string): string | undefined {
    const comes = route === HUMAN || this.#configured().includes(route) || this.#session(route) !== undefined
    return comes || this.register.liveByTemplate(route).length > 0 ? undefined : this.heirOf(route)
  }

  /** Who gets what waits at the id of a session that is over: its agent, or else the people of the city. */
  heirOf(session: string): string {
    const row = this.register.find(session)
    return row && this.#isAgent(row) ? row.template : HUMAN
  }

  /** Configured names and live sessions that bear exactly this name. */
  #exact(wanted: string): Address[] {
    const session = this.#session(wanted)
    const configured = this.#configured().includes(wanted)
    if (!configured) return session ? [addressOf(session)] : []
    const address = { route: wanted, shown: wanted }
    return session && !routesOf(session).includes(wanted) ? [address, addressOf(session)] : [address]
  }

  /** What a name without its rig may mean. */
  #short(wanted: string): Address[] {
    if (wanted.includes('/')) return []
    const names = this.#configured().filter((name) => leaf(name) === wanted)
    return names.map((name) => ({ route: name, shown: name, ...this.#holder(name) }))
  }

  #holder(named: string): { session?: string } {
    const [row] = this.register.liveByName('named', named)
    return row ? { session: row.id } : {}
  }

  #configured(): string[] {
    const { agents, namedSessions } = this.config.current
    return [...new Set([...agents, ...namedSessions].map(({ qualified }) => qualified))]
  }

  #isAgent({ kind, template }: Correspondent): boolean {
    return kind === 'agent' && this.config.current.agents.some(({ qualified }) => qualified === template)
  }

  #session(wanted: string): Correspondent | undefined {
    if (wanted === '') return undefined
    const byId = this.register.find(wanted)
    if (byId && isLive(byId)) return byId
    for (const column of ['named', 'sessionName', 'alias', 'agentName'] as const) {
      const [row] = this.register.liveByName(column, wanted)
      if (row) return row
    }
    return undefined
  }

  #past(wanted: string): Correspondent | undefined {
    const past = (column: 'sessionName' | 'alias') => this.register.closedByName(column, wanted)[0]
    return this.register.find(wanted) ?? past('sessionName') ?? past('alias')
  }

  #only(all: readonly Address[]): Address | undefined {
    return all.length === 1 ? all[0] : undefined
  }
}

/** What a session is reached by. One that is all there is of an identity or an agent is reached by that name. */
export function addressOf(row: Correspondent): Address {
  const shown = row.alias ?? row.named ?? (row.agentName || row.id)
  const single = row.kind === 'agent' && row.agentName === row.template
  return { route: row.named ?? (single ? row.template : row.id), shown, session: row.id }
}

/** Where mail for a session may wait: under its own id, its identity, and the name of its agent. */
export const routesOf = (row: Correspondent): string[] => [
  row.id,
  ...(row.named === null ? [] : [row.named]),
  ...(row.kind === 'agent' ? [row.template] : []),
]

function ambiguous(wanted: string, all: readonly Address[]): never {
  const names = all.map(({ shown, session }) => (session ? `${shown} (${session})` : shown)).join(', ')
  throw new AppError('invalid-request', `ambiguous: "${wanted}" may mean ${names}; say which`)
}
