import { effectiveOptions } from '../../config/providers/index.ts'
import { AppError } from '../../core/errors.ts'
import type { AcceptedRequest } from '../../core/requests/index.ts'
import type { Tx } from '../../core/store/index.ts'
import { SESSION_CONFLICT } from '../../host/protocol/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { AsyncAcceptedBody, OKWithIDResponseBody } from '../../http/schema.ts'
import {
  checkAlias,
  isRunning,
  type RunningSession,
  type SessionCreate,
  type SessionPatch,
  type SessionRequestView,
  type SessionResponse,
  type SessionRow,
} from '../../work/sessions/index.ts'
import type { SessionParts } from './parts.ts'

const MAX_ALIAS_HISTORY = 20
const RUNNING = new Set(['active', 'start-pending', 'creating', 'draining', 'quarantined'])

/** Creates sessions for callers, and changes their names and what they may do without asking. */
export class SessionCreating {
  constructor(private readonly parts: SessionParts) {}

  /** Accepts a session of a caller; an event reports whether it came up. */
  create(caller: Caller, body: SessionCreate): Promise<AsyncAcceptedBody> {
    return this.parts.creator.create(caller, body)
  }

  /** An accepted request that is not done yet. */
  request(id: string): SessionRequestView {
    const { operation, subject } = this.#openRequest(id)
    const reason = this.parts.waiting.of(subject)
    return { request_id: id, operation, session_id: subject, ...(reason !== undefined && { waits_for: reason }) }
  }

  /** Takes a request for a session back whose start has not begun. */
  async withdraw(id: string, caller: Caller): Promise<OKWithIDResponseBody> {
    const { store, repository, closer } = this.parts
    return store.write((tx) => {
      const { operation, subject } = this.#openRequest(id)
      const isWaiting = operation === 'session.create' && repository.get(subject).state === 'start-pending'
      if (!isWaiting) {
        const toDo = `close it with gc session close ${subject}`
        throw new AppError(SESSION_CONFLICT, `conflict: what request ${id} asks for has begun; ${toDo}`)
      }
      closer.close(tx, subject, 'its request was withdrawn')
      return { status: 'ok', id: subject }
    }, actorOf(caller))
  }

  #openRequest(id: string): AcceptedRequest {
    const request = this.parts.requests.get(id)
    if (request) return request
    throw new AppError('request-not-found', `request ${id} is not open; its event has the outcome`)
  }

  /** Changes the title or the alias of a session. */
  async patch(token: string, caller: Caller, { title, alias: requested }: SessionPatch): Promise<SessionResponse> {
    const { store, repository, resolver, view } = this.parts
    if (title === undefined && requested === undefined) {
      throw new AppError('validation-failed', 'validation failed', {
        fieldErrors: [{ message: 'give title or alias', location: 'body' }],
      })
    }
    const row = resolver.resolve(token)
    const alias = requested === undefined ? undefined : checkAlias(requested)
    if (alias !== undefined && row.agentName !== '') {
      throw new AppError('forbidden', 'forbidden: alias is controller-managed for this session')
    }
    return store.write((tx) => {
      if (title !== undefined) repository.rename(tx, row.id, title)
      if (alias !== undefined) this.#setAlias(tx, row.id, alias)
      return view.show(repository.get(row.id))
    }, actorOf(caller))
  }

  #setAlias(tx: Tx, id: string, alias: string): void {
    const { repository, creator } = this.parts
    const row = repository.get(id)
    if ((row.alias ?? '') === alias) return
    const conflict = alias ? creator.aliasTaken(alias, id) : undefined
    if (conflict) throw new AppError(SESSION_CONFLICT, conflict)
    const aliasHistory =
      row.alias === null ? row.aliasHistory : [...row.aliasHistory, row.alias].slice(-MAX_ALIAS_HISTORY)
    repository.update(tx, id, { alias: alias || null, aliasHistory })
  }

  /** Sets the mode of a session's next start; a running program that uses ACP switches immediately. */
  async choosePermissionMode(token: string, caller: Caller, mode: string): Promise<SessionResponse> {
    const { store, host, resolver, view } = this.parts
    const row = resolver.resolve(token, { past: true })
    if (this.#isSwitchable(row)) await host.mode(row.hostKey, this.#checkAcpMode(row, mode))
    return store.write((tx) => view.show(this.#saveMode(tx, row, mode)), actorOf(caller))
  }

  #isSwitchable(row: SessionRow): row is RunningSession {
    return row.state === 'active' && isRunning(row) && this.parts.conversations.usesAcp(row.hostKey)
  }

  #saveMode(tx: Tx, row: SessionRow, mode: string): SessionRow {
    const { repository, launchPlanner, conversations } = this.parts
    if (row.state === 'closed') throw new AppError(SESSION_CONFLICT, 'conflict: session is closed')
    if (RUNNING.has(row.state) && !this.#isSwitchable(row)) {
      throw new AppError(SESSION_CONFLICT, 'conflict: session is running; suspend it first, then choose')
    }
    if (launchPlanner.transport(row) === 'acp') {
      conversations.requestMode(tx, row, this.#checkAcpMode(row, mode))
      return row
    }
    const agent = row.kind === 'agent' ? launchPlanner.agent(row.template) : undefined
    if (row.kind === 'agent' && !agent) {
      throw new AppError(SESSION_CONFLICT, `conflict: agent ${row.template} is no longer in the configuration`)
    }
    const provider = agent ? launchPlanner.providerOf(agent) : launchPlanner.provider(row.provider)
    if (!provider?.optionsSchema.some(({ key }) => key === 'permission_mode')) {
      throw new AppError('not-implemented', `unsupported: ${row.provider} has no permission modes`)
    }
    const options = { ...row.options, permission_mode: mode }
    effectiveOptions(provider, agent?.optionDefaults, options)
    return repository.update(tx, row.id, { options })
  }

  /** Programs that use ACP list their modes themselves once they have run. */
  #checkAcpMode(row: SessionRow, mode: string): string {
    const modes = this.parts.conversations.modes(row.id, row.template).map(({ id }) => id)
    if (modes.length === 0) {
      throw new AppError('not-implemented', `unsupported: ${row.provider} has not listed its modes yet; start it once`)
    }
    if (!modes.includes(mode)) {
      throw new AppError('invalid-request', `${row.provider} has no mode "${mode}"; it has ${modes.join(', ')}`)
    }
    return mode
  }
}
