import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { CityContext } from '../../core/city-context.ts'
import { toTimestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { randomHex } from '../../core/ids.ts'
import type { Store, Tx } from '../../core/store/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import { ConversationBound, ConversationUnbound } from '../events.ts'
import { toConversation } from './conversation.ts'
import { type Conversations, toRef } from './conversations.ts'
import { checkMetadata, checkName } from './limits.ts'
import type { Memberships } from './memberships.ts'
import type {
  BindingList,
  BindRequest,
  ConversationRef,
  SessionBindingRecord,
  UnbindRequest,
  UnbindResult,
} from './schema.ts'
import type { MessagedSessions } from './sessions.ts'
import { type BindingRow, bindings, type ConversationRow } from './table.ts'
import type { Undelivered } from './undelivered.ts'

/** Replying session, by id, or agent, by the name of its session. */
interface Target {
  readonly sessionId: string
  readonly agentName: string
}

const prepareOf = ({ orm }: Store) =>
  orm
    .select()
    .from(bindings)
    .where(eq(bindings.conversation, sql.placeholder('n')))
    .prepare()

/** Session or agent that replies in each conversation. */
export class Bindings {
  readonly #of: ReturnType<typeof prepareOf>

  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      conversations: Conversations
      memberships: Memberships
      sessions: MessagedSessions
      undelivered: Undelivered
    },
  ) {
    this.#of = prepareOf(context.store)
  }

  /** Binds a conversation; the same target again only takes the metadata. */
  async bind(
    caller: Caller,
    { conversation, session_id, agent_name, replace, metadata }: BindRequest,
  ): Promise<SessionBindingRecord> {
    const target = this.#target(session_id?.trim() ?? '', agent_name?.trim() ?? '')
    const ref = toConversation(conversation, 'invalid-request')
    checkMetadata(metadata, 'invalid-request')
    return this.context.store.write((tx) => {
      const row = this.peers.conversations.ensure(tx, ref)
      const current = this.of(row)
      if (current && isSame(current, target)) return this.#keep(tx, row, current, metadata)
      if (current && !replace) throw conflict(current)
      if (current) this.#end(tx, [current])
      return this.toRecord(this.#add(tx, row, target, metadata ?? {}), ref)
    }, actorOf(caller))
  }

  /** Binds a conversation to an agent by a default route. */
  bindByRoute(tx: Tx, row: ConversationRow, agentName: string): BindingRow {
    return this.#add(tx, row, { sessionId: '', agentName }, {}, true)
  }

  /**
   * Ends what is named; nothing being bound is not an error. No one is asked about the conversation until its next message.
   */
  async unbind(
    caller: Caller,
    { conversation, session_id = '', agent_name = '' }: UnbindRequest,
  ): Promise<UnbindResult> {
    const { store } = this.context
    const { conversations, sessions, undelivered } = this.peers
    if (!conversation && !session_id.trim() && !agent_name.trim()) {
      throw new AppError('invalid-request', 'conversation, session_id, or agent_name is required')
    }
    const ref = conversation && toConversation(conversation, 'invalid-request')
    const session = session_id.trim() && sessions.idOf(session_id.trim())
    const agent = agent_name.trim() && (sessions.named(agent_name.trim()) ?? agent_name.trim())
    return store.write((tx) => {
      const row = ref && conversations.find(ref)
      if (ref && !row) return { unbound: null }
      if (row) undelivered.clear(tx, row)
      const ended = this.#where(
        row && eq(bindings.conversation, row.n),
        session ? eq(bindings.sessionId, session) : undefined,
        agent ? eq(bindings.agentName, agent) : undefined,
      )
      if (ended.length === 0) return { unbound: null }
      return { unbound: this.#end(tx, ended) }
    }, actorOf(caller))
  }

  /** The conversations that a session answers by its id. */
  list(session: string | undefined): BindingList {
    const id = session?.trim() ?? ''
    if (id === '') throw new AppError('invalid-request', 'session_id query parameter is required')
    const items = this.#where(eq(bindings.sessionId, this.peers.sessions.idOf(id))).map((row) => this.#record(row))
    return { items, total: items.length }
  }

  of({ n }: Pick<ConversationRow, 'n'>): BindingRow | undefined {
    return this.#of.get({ n })
  }

  toRecord(row: BindingRow, ref: ConversationRef): SessionBindingRecord {
    return {
      ID: row.id,
      SchemaVersion: 1,
      Conversation: ref,
      SessionID: row.sessionId,
      SessionName: this.peers.sessions.find(row.sessionId)?.sessionName ?? '',
      AgentName: row.agentName,
      Status: 'active',
      BoundAt: toTimestamp(row.boundAt),
      ExpiresAt: null,
      BindingGeneration: row.generation,
      Metadata: row.metadata,
    }
  }

  #target(session: string, agent: string): Target {
    const { sessions } = this.peers
    checkName('session_id', session, 'invalid-request')
    checkName('agent_name', agent, 'invalid-request')
    if (session !== '' && agent !== '') {
      throw new AppError('invalid-request', 'session_id and agent_name are mutually exclusive')
    }
    if (session !== '') return { sessionId: sessions.idOf(session), agentName: '' }
    if (agent === '') throw new AppError('invalid-request', 'session_id or agent_name is required')
    const named = sessions.named(agent)
    if (named !== undefined) return { sessionId: '', agentName: named }
    throw new AppError(
      'invalid-request',
      `agent "${agent}" does not resolve to a configured named session; declare one with [[named_session]], or bind a session by its id`,
    )
  }

  #keep(tx: Tx, row: ConversationRow, current: BindingRow, metadata: BindRequest['metadata']): SessionBindingRecord {
    const ref = toRef(row)
    if (metadata === undefined || Bun.deepEquals(metadata, current.metadata)) return this.toRecord(current, ref)
    tx.orm.update(bindings).set({ metadata }).where(eq(bindings.conversation, row.n)).run()
    this.#recordBound(tx, current, ref)
    return this.toRecord({ ...current, metadata }, ref)
  }

  #add(tx: Tx, row: ConversationRow, target: Target, metadata: BindingRow['metadata'], routed = false): BindingRow {
    const { clock } = this.context
    const { conversations, memberships, undelivered } = this.peers
    const generation = conversations.nextGeneration(tx, row)
    const id = `binding-${randomHex(6)}`
    const added = { ...target, conversation: row.n, id, generation, boundAt: clock.now(), routed, metadata }
    tx.orm.insert(bindings).values(added).run()
    undelivered.clear(tx, row)
    if (target.sessionId !== '') memberships.join(tx, row, target.sessionId, 'binding')
    this.#recordBound(tx, added, toRef(row))
    return added
  }

  /** Ends bindings; all are of one session or agent. */
  #end(tx: Tx, ended: readonly BindingRow[]): SessionBindingRecord[] {
    const { log, clock } = this.context
    const { memberships } = this.peers
    const touched = toTimestamp(clock.now())
    for (const { conversation } of ended) {
      tx.orm.delete(bindings).where(eq(bindings.conversation, conversation)).run()
      memberships.leave(tx, conversation, 'binding')
    }
    const [first] = ended
    const subject = first?.sessionId || first?.agentName
    const payload = { session_id: first?.sessionId ?? '', count: ended.length }
    log.append(tx, ConversationUnbound, { ...(subject && { subject }) }, payload)
    return ended.map((row) => ({
      ...this.#record(row),
      Status: 'ended',
      Metadata: { ...row.metadata, last_touched_at: touched },
    }))
  }

  #recordBound(tx: Tx, { sessionId, agentName }: BindingRow, { provider, conversation_id }: ConversationRef): void {
    const payload = { provider, conversation_id, session_id: sessionId, ...(agentName && { agent_name: agentName }) }
    this.context.log.append(tx, ConversationBound, { subject: sessionId || agentName }, payload)
  }

  #record(row: BindingRow): SessionBindingRecord {
    const conversation = this.peers.conversations.byNumber(row.conversation)
    if (!conversation) throw new Error(`binding ${row.id} has no conversation`)
    return this.toRecord(row, toRef(conversation))
  }

  #where(...conditions: (SQL | undefined)[]): BindingRow[] {
    return this.context.store.read((orm) =>
      orm
        .select()
        .from(bindings)
        .where(and(...conditions))
        .all(),
    )
  }
}

const isSame = (row: BindingRow, { sessionId, agentName }: Target): boolean =>
  row.sessionId === sessionId && row.agentName === agentName

const conflict = ({ sessionId, agentName }: BindingRow) =>
  new AppError(
    'conflict-wrong-state',
    `extmsg binding conflict: conversation already bound to ${sessionId || agentName}; send replace = true to take it over`,
  )
