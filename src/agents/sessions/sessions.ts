import { AppError } from '../../core/errors.ts'
import type { Tx } from '../../core/store.ts'
import { SESSION_CONFLICT } from '../../host/protocol/errors.ts'
import type { Caller, SessionCaller } from '../../http/caller.ts'
import type { Connection, Exchange } from '../../http/route.ts'
import type { AsyncAcceptedBody } from '../../http/schema.ts'
import type { SseFrame } from '../../http/sse.ts'
import type { Worker } from '../../work/claims/worker.ts'
import { openStream } from '../conversations/stream.ts'
import type { Transcript, TranscriptFormat } from '../conversations/structured/transcript.ts'
import type { SessionLogs } from '../conversations/tracking/session-logs.ts'
import { ScreenSource, type TranscriptQuery, Transcripts } from '../conversations/transcripts.ts'
import { Interactions } from '../messaging/interactions.ts'
import { MESSAGE_LIMIT } from '../messaging/requests.ts'
import { HELD } from './affairs.ts'
import { choosePermissionMode, isSpokenTo, offeredMode } from './choices.ts'
import { Crew } from './crew.ts'
import { SessionSubmitSucceeded } from './events.ts'
import { Holds } from './holds.ts'
import { SessionIdentities } from './identities.ts'
import { Lending } from './lending.ts'
import { list, type SessionQuery } from './lists.ts'
import { checkAlias } from './names.ts'
import type { SessionNeeds } from './parts.ts'
import { Runtime } from './runtime.ts'
import type {
  Respond,
  Responded,
  SessionCreate,
  SessionList,
  SessionPatch,
  SessionPending,
  SessionPrompt,
  SessionResponse,
  SubAgent,
  SubAgents,
  SubmitIntent,
} from './schema.ts'
import { Terminals, type Ticket } from './terminals.ts'
import { isRunning } from './view.ts'
import { callerOf, workerOf } from './who.ts'

/** What of a request opens a stream. */
interface StreamExchange extends Pick<Exchange, 'request' | 'signal' | 'response'> {
  readonly query: { format?: TranscriptFormat; after_cursor?: string; include_thinking?: boolean }
}

/** The sessions of a city: agents at work, each a program in the host and a bead in the books. */
export class Sessions extends Holds {
  readonly transcripts: Transcripts
  /** What agents and rigs see of their sessions. */
  readonly crew: Crew
  readonly lending: Lending
  readonly runtime: Runtime
  /** What sessions ask people. */
  readonly interactions: Interactions
  readonly #terminals: Terminals

  constructor(needs: SessionNeeds) {
    super(needs)
    const { host, deadlines, clock, beads } = needs
    this.transcripts = new Transcripts([new ScreenSource(host)], this.parts.book)
    this.crew = new Crew(this, () => clock.now())
    this.interactions = new Interactions({ ...this.parts, store: needs.store, log: needs.log, host, deadlines })
    this.lending = new Lending(this.parts, needs.store, needs.claims)
    this.runtime = new Runtime({
      ...{ parts: this.parts, beads, report: needs.report },
      write: (work) => needs.store.write(work),
      now: () => clock.now(),
      materialise: (token) => this.materialise(token),
      wake: (tx, id) => this.wakeFor(tx, id),
      reset: (tx, id) => this.hearReset(tx, id),
    })
    this.#terminals = new Terminals({ book: this.parts.book, live: this.parts.live, host, deadlines })
    beads.identifiedBy(new SessionIdentities(this.parts))
  }

  list(query: SessionQuery): Promise<SessionList> {
    return list(this.parts, this.needs.host, query)
  }

  async get(token: string, { peek, lines = 5 }: { peek?: boolean; lines?: number } = {}): Promise<SessionResponse> {
    const row = this.parts.resolver.resolve(token, { past: true })
    const lastOutput = peek ? await this.peek(row.id, lines) : undefined
    return this.parts.view.show(row, { ...(lastOutput !== undefined && { lastOutput }) })
  }

  create(body: SessionCreate): Promise<AsyncAcceptedBody> {
    return this.parts.creation.create(body)
  }

  /** Changes a session's title or alias. */
  async patch(token: string, { title, alias }: SessionPatch): Promise<SessionResponse> {
    if (title === undefined && alias === undefined) {
      throw new AppError('validation-failed', 'validation failed', {
        fieldErrors: [{ message: 'give title or alias', location: 'body' }],
      })
    }
    const row = this.parts.resolver.resolve(token)
    const wanted = alias === undefined ? undefined : checkAlias(alias)
    if (wanted !== undefined && row.agentName !== '') {
      throw new AppError('forbidden', 'forbidden: alias is controller-managed for this session')
    }
    return this.needs.store.write((tx) => {
      if (title !== undefined) this.parts.book.rename(tx, row.id, title)
      if (wanted !== undefined) this.#setAlias(tx, row.id, wanted)
      return this.parts.view.show(this.parts.book.get(row.id))
    })
  }

  /** Accepts a message; the session is woken for it when it is not up. */
  message(token: string, body: string): Promise<AsyncAcceptedBody> {
    return this.#tell(token, body, 'session.message', 'default')
  }

  submit(token: string, body: string, intent: SubmitIntent = 'default'): Promise<AsyncAcceptedBody> {
    return this.#tell(token, body, 'session.submit', intent)
  }

  /** Puts a text in a session's queue without a request that waits for it: a nudge of gc's own. */
  nudge(tx: Tx, id: string, body: string, name?: string): void {
    this.parts.messages.queue(tx, id, body, name === undefined ? {} : { request: name })
  }

  async pending(token: string): Promise<SessionPending> {
    const row = this.parts.resolver.resolve(token)
    return this.interactions.pending(row)
  }

  /** What the session's agent is told to be. */
  prompt(token: string): SessionPrompt {
    const row = this.parts.resolver.resolve(token)
    return { agent: row.template, content: this.parts.launcher.prompt(row) }
  }

  /** Answers what a session's program asks. */
  async respond(token: string, caller: Caller, answer: Respond): Promise<Responded> {
    if (caller.kind === 'session' && !caller.may.includes('respond')) {
      throw new AppError('forbidden', 'forbidden: a session may not answer for a person unless its agent may respond')
    }
    return this.interactions.respond(this.parts.resolver.resolve(token), answer)
  }

  async choosePermissionMode(token: string, mode: string): Promise<SessionResponse> {
    const row = this.parts.resolver.resolve(token, { past: true })
    if (isSpokenTo(this.parts, row)) await this.needs.host.mode(row.hostKey, offeredMode(this.parts, row, mode))
    return this.needs.store.write((tx) => this.parts.view.show(choosePermissionMode(this.parts, tx, row, mode)))
  }

  /** Agents that a session's own agent started; none are known while its program keeps no log that can be read. */
  async subAgents(token: string): Promise<SubAgents> {
    const row = this.parts.resolver.resolve(token, { past: true })
    return (await this.transcripts.logs?.subAgents(row)) ?? { agents: [] }
  }

  async subAgent(token: string, id: string): Promise<SubAgent> {
    const row = this.parts.resolver.resolve(token, { past: true })
    if (id.includes('/') || id.includes('..')) throw new AppError('invalid-request', `"${id}" cannot name an agent`)
    const found = await this.transcripts.logs?.subAgent(row, id)
    if (found) return found
    throw new AppError('agent-not-found', `agent ${id} of session ${token} is not known`)
  }

  transcript(token: string, query: TranscriptQuery): Promise<Transcript> {
    return this.transcripts.get(this.parts.resolver.resolve(token, { past: true }), query)
  }

  /** From now on sessions are shown by the logs that their programs keep, as far as they do. */
  readBy(logs: SessionLogs): void {
    this.transcripts.logs = logs
    this.parts.live.readBy(logs)
  }

  /** Opens the stream of what a session says. */
  async stream(token: string, x: StreamExchange): Promise<AsyncIterable<SseFrame>> {
    const row = this.parts.resolver.resolve(token, { past: true })
    const after = x.request.headers.get('last-event-id') || x.query.after_cursor
    const parts = { transcripts: this.transcripts, book: this.parts.book }
    const { format, include_thinking: thinking } = x.query
    const opened = await openStream(parts, row, { format, after, thinking }, x.signal)
    Object.assign(x.response.headers, opened.headers)
    return opened.frames
  }

  /** A ticket for a session's terminal. Another session may look, and type only when its agent may respond. */
  ticket(token: string, caller: Caller, write: boolean): Ticket {
    const row = this.parts.resolver.resolve(token)
    if (this.parts.conversations.usesAcp(row.hostKey)) {
      throw new AppError(SESSION_CONFLICT, `conflict: session ${row.id} is spoken to by protocol and has no terminal`)
    }
    if (write && caller.kind === 'session' && !caller.may.includes('respond')) {
      throw new AppError('forbidden', 'forbidden: a session may not type into terminals unless its agent may respond')
    }
    return this.#terminals.ticket(row, write)
  }

  attach(token: string, ticket: string | undefined): Connection {
    return this.#terminals.connect(this.parts.resolver.resolve(token), ticket)
  }

  /** Whose credential a hash is: the caller, `ended` when that incarnation is over, undefined when it is nobody's. */
  caller(hash: string): SessionCaller | 'ended' | undefined {
    return callerOf(this.parts, this.needs.place.city, hash)
  }

  worker(caller: SessionCaller): Worker {
    return workerOf(this.parts, caller)
  }

  /** The last lines of a session's screen; undefined when it does not run. */
  async peek(id: string, lines: number): Promise<string | undefined> {
    const row = this.parts.book.find(id)
    if (!row?.hostKey || !isRunning(row)) return undefined
    const screen = await this.needs.host.screen(row.hostKey, lines)
    return screen.lines.slice(-lines).join('\n').trimEnd()
  }

  async #tell(token: string, body: string, operation: 'session.message' | 'session.submit', intent: SubmitIntent) {
    const { outcomes, messages, book } = this.parts
    const row = await this.materialise(token)
    if (row.state === 'failed-create') throw new AppError(SESSION_CONFLICT, `session ${row.id} is failed-create`)
    const cursor = outcomes.head
    const accepted = await this.needs.store.write((tx) => {
      const request = outcomes.accept(tx, operation, row.id)
      const later = operation === 'session.submit' && intent === 'follow_up'
      if (later && this.parts.launcher.transport(row) === 'acp') {
        outcomes.fail(tx, request, 'submit_failed', 'follow_up is not supported by sessions spoken to by protocol')
        return request
      }
      messages.queue(tx, row.id, body, { intent, ...(!later && { request: request.id, limit: MESSAGE_LIMIT }) })
      if (HELD.has(book.get(row.id).state)) this.wakeUp(tx, row.id)
      if (!later) return request
      const facts = { actor: 'api', subject: row.id, session_id: row.id }
      const payload = { request_id: request.id, session_id: row.id, queued: true, intent }
      outcomes.succeed(tx, request.id, SessionSubmitSucceeded, facts, payload)
      return request
    })
    return outcomes.answer(accepted, cursor)
  }

  #setAlias(tx: Tx, id: string, wanted: string): void {
    const { book, creation } = this.parts
    const row = book.get(id)
    if ((row.alias ?? '') === wanted) return
    const taken = wanted ? creation.aliasTaken(wanted, id) : undefined
    if (taken) throw new AppError(SESSION_CONFLICT, taken)
    const aliasHistory = row.alias === null ? row.aliasHistory : [...row.aliasHistory, row.alias].slice(-20)
    book.update(tx, id, { alias: wanted || null, aliasHistory })
  }
}
