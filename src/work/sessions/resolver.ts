import type { NamedSessionConfig } from '../../config/agents/index.ts'
import type { Config } from '../../config/compose/index.ts'
import { AppError } from '../../core/errors.ts'
import { lastSegment } from '../../core/text/index.ts'
import { SESSION_CONFLICT } from '../errors.ts'
import { memberName, sanitize } from './names.ts'
import type { SessionRepository } from './repository.ts'
import type { SessionRow } from './table.ts'

/** Prompts write `mayor/` for an agent of the city. */
export const withoutSlash = (token: string): string => token.replace(/(?<=.)[/]$/, '')

const notFound = (token: string) => new AppError('session-not-found', `not_found: session not found: "${token}"`)

/** Finds sessions by id, configured identity, run-time name, alias, name in the list of agents, or title. */
export class SessionResolver {
  constructor(
    private readonly repository: SessionRepository,
    private readonly config: Pick<Config, 'current'>,
  ) {}

  /** The live session a token names; with `past`, a closed one when no live one has that name. */
  resolve(token: string, { past = false } = {}): SessionRow {
    const row = this.find(token) ?? (past ? this.#closed(withoutSlash(token)) : undefined)
    if (!row) throw notFound(token)
    if (row.state === 'closed' && !past) throw notFound(token)
    return row
  }

  /** The session a token names, closed ones only by id; throws when it names several. */
  find(written: string): SessionRow | undefined {
    const token = withoutSlash(written)
    if (token === '' || token.startsWith('template:')) return undefined
    const byId = this.repository.find(token)
    if (byId) return byId
    const named = this.named(token)
    if (named)
      return (
        this.#requireOne(token, this.repository.liveByName('named', named.qualified)) ?? this.#rejectImpostor(token)
      )
    return this.#byName(token)
  }

  /** The configured named session that a token names: by identity, run-time name, or last segment. */
  named(written: string): NamedSessionConfig | undefined {
    const token = withoutSlash(written)
    const all = this.config.current.namedSessions
    const exact = all.find(({ qualified }) => qualified === token || sanitize(qualified) === token)
    if (exact || token.includes('/')) return exact
    const leaves = all.filter(({ qualified }) => lastSegment(qualified) === token)
    if (leaves.length > 1)
      throw ambiguous(
        token,
        leaves.map(({ qualified }) => qualified),
      )
    return leaves[0]
  }

  #byName(token: string): SessionRow | undefined {
    for (const column of ['sessionName', 'alias', 'agentName'] as const) {
      const row = this.#requireOne(token, this.repository.liveByName(column, token))
      if (row) return row
    }
    const live = this.repository.live()
    return (
      live.find((row) => row.kind === 'agent' && memberName(row) === token) ??
      live.find((row) => row.named === null && row.state === 'active' && this.repository.titleOf(row.id) === token)
    )
  }

  /** Throws when a live session has the name of a configured one without being it. */
  #rejectImpostor(token: string): undefined {
    const [other] = [...this.repository.liveByName('sessionName', token), ...this.repository.liveByName('alias', token)]
    if (!other) return undefined
    throw new AppError(
      SESSION_CONFLICT,
      `conflict: session ${other.id} has the name ${token}, which is configured for another; rename it`,
    )
  }

  #closed(token: string): SessionRow | undefined {
    return this.repository.closedByName('sessionName', token)[0] ?? this.repository.closedByName('alias', token)[0]
  }

  #requireOne(token: string, rows: SessionRow[]): SessionRow | undefined {
    if (rows.length > 1)
      throw ambiguous(
        token,
        rows.map(({ id }) => id),
      )
    return rows[0]
  }
}

const ambiguous = (token: string, candidates: readonly string[]) =>
  new AppError(SESSION_CONFLICT, `ambiguous: "${token}" may mean ${candidates.join(', ')}; say which`)
