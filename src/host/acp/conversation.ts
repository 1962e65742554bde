import {
  type ClientConnection,
  type ClientContext,
  methods,
  type PromptRequest,
  RequestError,
  type SessionUpdate,
  type Stream,
} from '@agentclientprotocol/sdk'
import { type Deadlines, settlesWithin } from '../../core/deadlines.ts'
import { AppError } from '../../core/errors.ts'
import type { ToolServer } from '../protocol/index.ts'
import { SESSION_CONFLICT } from '../protocol/index.ts'
import { type AgentServices, createAgentClient } from './client.ts'
import { agentErrorMessage, type OpenedConversation, performHandshake } from './handshake.ts'
import { Permissions } from './permissions.ts'
import type { RecordWriter } from './record-writer.ts'

/** Maximum time an agent may take to say hello and open a conversation. */
const HANDSHAKE_MS = 30_000
/**
 * A request that no agent knows, as the protocol lets one ask: every agent answers it, if only that it does not know
 * it. Since requests are read in order, that shows that whatever was written before has been read as well.
 */
const PROBE_METHOD = '_gc/sounding'
/** Maximum time an agent may take to read what it is sent. */
const READ_MS = 30_000
const CANCELLED_MS = 15_000
const MAX_TURN_IDS = 1_000

export interface ConversationOptions {
  run: string
  build: string
  deadlines: Deadlines
  writer: RecordWriter
  /** The folder that the agent works in. */
  cwd: string
  services: AgentServices | undefined
  resume: string | undefined
  mode: string | undefined
  model: string | undefined
  servers: readonly ToolServer[] | undefined
  /** Maximum time the handshake may take. */
  handshakeTimeoutMs: number | undefined
  /** Called with the agent's updates, from its first turn on. */
  onUpdate(update: SessionUpdate): void
}

interface AgentTurn {
  id: string
  /** The agent did something about it. */
  accepted: PromiseWithResolvers<void>
  ended: PromiseWithResolvers<void>
}

/** A conversation with an agent: the handshake, then one turn at a time. */
export class Conversation {
  /** Resolves when the first turn can begin. */
  readonly ready: Promise<OpenedConversation>
  readonly permissions: Permissions
  readonly #connection: ClientConnection
  readonly #turnIds = new Set<string>()
  #opened: OpenedConversation | undefined
  #setMode: ((mode: string) => Promise<void>) | undefined
  /** True if it has answered a sounding. */
  #answers = false
  #turn: AgentTurn | undefined

  constructor(
    private readonly options: ConversationOptions,
    wire: Stream,
  ) {
    this.permissions = new Permissions(options.run, options.writer)
    const accept = () => this.#turn?.accepted.resolve()
    const forward = (update: SessionUpdate) => this.#listener(update)
    this.#connection = createAgentClient({
      ...options,
      permissions: this.permissions,
      onUpdate: forward,
      onRequest: accept,
    }).connect(wire)
    this.ready = this.#open()
    this.ready.catch(() => {})
  }

  /** Resolves when the connection is closed. */
  get closed(): Promise<void> {
    return this.#connection.closed
  }

  /**
   * Gives the agent a turn; resolves once the agent has accepted it, and rejects with the reason when it has not. It has
   * accepted it once it sends an update or a request, or has read it without rejecting it. A turn is never given twice.
   */
  async prompt(id: string, text: string): Promise<void> {
    await this.ready
    if (this.#turnIds.has(id)) return
    if (this.#turn) throw new AppError('conflict-wrong-state', 'the agent works on a turn; give it the next one later')
    this.#turnIds.add(id)
    for (const old of [...this.#turnIds].slice(0, -MAX_TURN_IDS)) this.#turnIds.delete(old)
    const turn = { id, accepted: Promise.withResolvers<void>(), ended: Promise.withResolvers<void>() }
    turn.accepted.promise.catch(() => {})
    this.#turn = turn
    void this.#run(turn, text)
    void this.#acceptWhenRead(turn)
    const inTime = await settlesWithin(this.options.deadlines, READ_MS, turn.accepted.promise)
    if (inTime || !this.#answers) return
    void this.#cancel()
    throw new AppError('bad-gateway', `the agent has read nothing for ${READ_MS / 1000} s; the turn was canceled`)
  }

  /** Has the agent end its turn; whether it did so in time. */
  async cancel(): Promise<boolean> {
    const turn = this.#turn
    if (!turn) return true
    this.permissions.cancel()
    await this.#cancel()
    return settlesWithin(this.options.deadlines, CANCELLED_MS, turn.ended.promise)
  }

  /** Has the agent work in another mode from now on; throws when it does not offer that mode. */
  async mode(mode: string): Promise<void> {
    await this.ready
    try {
      await this.#setMode?.(mode)
    } catch (error) {
      if (error instanceof AppError) throw error
      throw new AppError(SESSION_CONFLICT, `conflict: the agent did not take the mode: ${agentErrorMessage(error)}`)
    }
  }

  close(): void {
    this.permissions.cancel()
    this.#connection.close(new AppError('service-unavailable', 'the agent has exited'))
  }

  #cancel(): Promise<void> {
    return this.#agent.notify(methods.agent.session.cancel, { sessionId: this.#conversation })
  }

  /** Probes twice: what the agent rejects immediately it has rejected by the second answer. */
  async #acceptWhenRead(turn: AgentTurn): Promise<void> {
    if ((await this.#hasReadAll()) && (await this.#hasReadAll())) turn.accepted.resolve()
  }

  /** Resolves when the agent has read everything so far; false when it has disconnected. */
  async #hasReadAll(): Promise<boolean> {
    try {
      await this.#agent.request(PROBE_METHOD, {})
    } catch (error) {
      if (!(error instanceof RequestError)) return false
    }
    this.#answers = true
    return true
  }

  get #agent(): ClientContext {
    return this.#connection.agent
  }

  get #conversation(): string {
    return this.#opened?.conversation ?? ''
  }

  /** Messages before this are a replay of an earlier conversation, which is on record already. */
  #listener(update: SessionUpdate): void {
    if (!this.#opened) return
    this.options.writer.update(update)
    this.permissions.onUpdate(update)
    this.options.onUpdate(update)
    this.#turn?.accepted.resolve()
  }

  async #open(): Promise<OpenedConversation> {
    const { build, deadlines, writer, handshakeTimeoutMs = HANDSHAKE_MS } = this.options
    const handshake = performHandshake(this.#agent, build, this.options)
    try {
      const inTime = await settlesWithin(deadlines, handshakeTimeoutMs, handshake)
      if (!inTime)
        throw new AppError(
          'service-unavailable',
          `the agent did not open a conversation in ${handshakeTimeoutMs / 1000} s`,
        )
      const { opened, setMode, warnings } = await handshake
      this.#opened = opened
      this.#setMode = setMode
      writer.write({ type: 'ready', ...opened })
      for (const message of warnings) writer.write({ type: 'error', message })
      void this.#hasReadAll()
      return opened
    } catch (error) {
      handshake.catch(() => {})
      if (error instanceof AppError) throw error
      throw new AppError('service-unavailable', `the agent could not open a conversation: ${agentErrorMessage(error)}`)
    }
  }

  async #run(turn: AgentTurn, text: string): Promise<void> {
    const { writer } = this.options
    writer.write({ type: 'turn', turn: turn.id, text })
    const request: PromptRequest = { sessionId: this.#conversation, prompt: [{ type: 'text', text }] }
    try {
      const answer = await this.#agent.request(methods.agent.session.prompt, request)
      const usage = usageOf(answer)
      this.permissions.cancel()
      if (answer.stopReason === 'refusal') turn.accepted.reject(new AppError('bad-gateway', 'the agent refused it'))
      writer.write({ type: 'done', turn: turn.id, reason: answer.stopReason, ...(usage != null && { usage }) })
    } catch (error) {
      this.permissions.cancel()
      const reason = agentErrorMessage(error)
      writer.write({ type: 'done', turn: turn.id, reason: 'error', error: reason })
      turn.accepted.reject(new AppError('bad-gateway', `the agent did not take it: ${reason}`))
    }
    this.#turn = undefined
    turn.accepted.resolve()
    turn.ended.resolve()
  }
}

/** The usage of a turn, as the protocol reports it or as the quota that some programs send instead. */
const usageOf = ({ usage, _meta }: { usage?: object | null; _meta?: { [key: string]: unknown } | null }) => {
  const quota = _meta?.quota
  return usage ?? (typeof quota === 'object' ? quota : undefined)
}
