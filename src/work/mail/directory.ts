import type { CityConfig } from '../../config/city/index.ts'
import { suggestion } from '../../config/files/index.ts'
import { AppError } from '../../core/errors.ts'
import { lastSegment } from '../../core/text/index.ts'
import { type SessionRepository, type SessionRow, withoutSlash } from '../sessions/index.ts'

/** Address of mail, with the displayed name of its recipient. */
export interface Address {
  /** `human`, a session's id, or the name of an agent or a named session. */
  route: string
  display: string
  session?: string
}

export const HUMAN = 'human'

/** The name that a caller wrote. */
const nameOf = (token: string): string => withoutSlash(token.trim())

const isLive = ({ state }: SessionRow): boolean => state !== 'closed'

/** The agents and named sessions that mail can be sent to. */
export interface MailRecipients {
  readonly agents: readonly Pick<CityConfig['agents'][number], 'qualified'>[]
  readonly namedSessions: readonly Pick<CityConfig['namedSessions'][number], 'qualified'>[]
}

/** Resolves the names of recipients: to an address for who writes, to inboxes for who reads. */
export class MailDirectory {
  constructor(
    private readonly config: { readonly current: MailRecipients },
    private readonly sessions: SessionRepository,
  ) {}

  /** Address of a name; throws for an unknown or ambiguous one. */
  addressFor(token: string): Address {
    const name = nameOf(token)
    if (name === HUMAN) return { route: HUMAN, display: HUMAN }
    const [exact, ...otherExact] = this.#exactMatches(name)
    if (exact) return otherExact.length === 0 ? exact : rejectAmbiguous(name, [exact, ...otherExact])
    const [short, ...otherShort] = this.#shortMatches(name)
    if (short) return otherShort.length === 0 ? short : rejectAmbiguous(name, [short, ...otherShort])
    const near = suggestion(name, [...this.#configured(), ...this.#configured().map(lastSegment)])
    const help = near ? `; ${near}` : ': address a session by id, alias or name, an agent by its name, or human'
    throw new AppError('invalid-request', `there is no recipient called "${name}"${help}`)
  }

  /** True if this names an agent or a live session of the city. */
  isName(name: string): boolean {
    return this.#exactMatches(name).length > 0 || this.#shortMatches(name).length > 0
  }

  /** Every route whose mail is for the recipient of this name. */
  routesFor(token: string): string[] {
    const name = nameOf(token)
    if (name === HUMAN) return [HUMAN]
    const session = this.#findLive(name) ?? this.#findPast(name)
    const short = session ? undefined : onlyElement(this.#shortMatches(name))
    const recipient = session ?? (short?.session === undefined ? undefined : this.sessions.find(short.session))
    return [...new Set([name, ...(short ? [short.route] : []), ...(recipient ? routesOf(recipient) : [])])]
  }

  /** Reply address of a session's message: the session, or its agent if it is closed. */
  returnAddress(session: string): Address | undefined {
    const row = this.sessions.find(session)
    if (!row) return undefined
    if (isLive(row) || row.named !== null || !this.#hasAgent(row)) return addressOf(row)
    return { route: row.template, display: row.template }
  }

  /** The running sessions that mail at a route is for; the one it was addressed to first, then the oldest. */
  listRunning(route: string, addressedTo: string | null): SessionRow[] {
    const addressed = addressedTo === null ? undefined : this.sessions.find(addressedTo)
    const candidates = [
      ...(addressed ? [addressed] : []),
      ...[this.sessions.find(route)].filter((row) => row !== undefined),
      ...this.sessions.liveByName('named', route),
      ...this.sessions.liveByTemplate(route).reverse(),
    ]
    const isRecipient = (row: SessionRow) => isNotifiable(row) && routesOf(row).includes(route)
    return [...new Map(candidates.filter(isRecipient).map((row) => [row.id, row])).values()]
  }

  /** New recipient of mail at an abandoned route; undefined while it has a reader. */
  successorAt(route: string): string | undefined {
    const hasReader = route === HUMAN || this.#configured().includes(route) || this.#findLive(route) !== undefined
    return hasReader || this.sessions.liveByTemplate(route).length > 0 ? undefined : this.successorOf(route)
  }

  /** New recipient of a closed session's mail: its agent, else the people of the city. */
  successorOf(session: string): string {
    const row = this.sessions.find(session)
    return row && this.#hasAgent(row) ? row.template : HUMAN
  }

  /** Configured names and live sessions that have exactly this name. */
  #exactMatches(name: string): Address[] {
    const session = this.#findLive(name)
    const isConfigured = this.#configured().includes(name)
    if (!isConfigured) return session ? [addressOf(session)] : []
    const address = { route: name, display: name }
    return session && !routesOf(session).includes(name) ? [address, addressOf(session)] : [address]
  }

  /** Possible matches of a name without its rig. */
  #shortMatches(name: string): Address[] {
    if (name.includes('/')) return []
    const names = this.#configured().filter((qualified) => lastSegment(qualified) === name)
    return names.map((qualified) => {
      const [row] = this.sessions.liveByName('named', qualified)
      return { route: qualified, display: qualified, ...(row && { session: row.id }) }
    })
  }

  #configured(): string[] {
    const { agents, namedSessions } = this.config.current
    return [...new Set([...agents, ...namedSessions].map(({ qualified }) => qualified))]
  }

  #hasAgent({ kind, template }: SessionRow): boolean {
    return kind === 'agent' && this.config.current.agents.some(({ qualified }) => qualified === template)
  }

  #findLive(name: string): SessionRow | undefined {
    if (name === '') return undefined
    const byId = this.sessions.find(name)
    if (byId && isLive(byId)) return byId
    for (const column of ['named', 'sessionName', 'alias', 'agentName'] as const) {
      const [row] = this.sessions.liveByName(column, name)
      if (row) return row
    }
    return undefined
  }

  #findPast(name: string): SessionRow | undefined {
    const past = (column: 'sessionName' | 'alias') => this.sessions.closedByName(column, name)[0]
    return this.sessions.find(name) ?? past('sessionName') ?? past('alias')
  }
}

const onlyElement = <Element>(all: readonly Element[]): Element | undefined => (all.length === 1 ? all[0] : undefined)

/** True if the program of a session runs, so that it can be notified. */
export const isNotifiable = ({ state, pid }: SessionRow): boolean => state === 'active' && pid !== null

/** The address of a session; the only session of a named session or an agent is reached by that name. */
export function addressOf(row: SessionRow): Address {
  const display = row.alias ?? row.named ?? (row.agentName || row.id)
  const isSingleton = row.kind === 'agent' && row.agentName === row.template
  return { route: row.named ?? (isSingleton ? row.template : row.id), display, session: row.id }
}

/** Routes of a session's mail: its id, its configured name and the name of its agent. */
export const routesOf = (row: SessionRow): string[] => [
  row.id,
  ...(row.named === null ? [] : [row.named]),
  ...(row.kind === 'agent' ? [row.template] : []),
]

function rejectAmbiguous(name: string, all: readonly Address[]): never {
  const names = all.map(({ display, session }) => (session ? `${display} (${session})` : display)).join(', ')
  throw new AppError('invalid-request', `ambiguous: "${name}" may mean ${names}; say which`)
}
