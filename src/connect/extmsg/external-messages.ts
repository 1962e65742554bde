import type { SessionCreator } from '../../agents/lifecycle/index.ts'
import type { Config } from '../../config/compose/index.ts'
import type { DefaultRouteConfig } from '../../config/settings/index.ts'
import { gcPart } from '../../core/actor.ts'
import type { AttentionEntry, AttentionSource } from '../../core/attention.ts'
import type { CityContext } from '../../core/city-context.ts'
import { toTimestamp } from '../../core/clock.ts'
import type { Deadline } from '../../core/deadlines.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import { unsubscriber } from '../../core/signal.ts'
import { command, type Tx } from '../../core/store/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import { cursorAfterKey, fillPage, parseKeyCursor } from '../../http/respond/index.ts'
import { pageSize } from '../../http/schema.ts'
import type { MessageQueue, SessionRepository, SessionResolver, SessionWaker } from '../../work/sessions/index.ts'
import { MessageReceived } from '../events.ts'
import { AdapterHealth } from './adapter-health.ts'
import type { AdapterServices } from './adapter-services.ts'
import { Adapters } from './adapters.ts'
import { Bindings } from './bindings.ts'
import { toConversation } from './conversation.ts'
import { Conversations, toRef } from './conversations.ts'
import { Groups, toHandle } from './groups.ts'
import { checkAttachments, checkName, checkText } from './limits.ts'
import { Memberships } from './memberships.ts'
import type {
  ConversationView,
  ConversationViewList,
  GroupRouteDecision,
  InboundRequest,
  InboundResult,
} from './message-schema.ts'
import { conversationName, TranscriptNudger } from './nudger.ts'
import { Outbound } from './outbound.ts'
import type { ConversationRef, ExternalInboundMessage } from './schema.ts'
import { SenderCheck } from './sender.ts'
import { MessagedSessions } from './sessions.ts'
import type { BindingRow, ConversationRow, TranscriptRow } from './table.ts'
import { Transcripts, toRecord } from './transcripts.ts'
import { Undelivered, undeliveredText } from './undelivered.ts'

const LIST = 'xc'

/** Conversations of the city's sessions with people outside, through adapters of messengers. */
export class ExternalMessages {
  readonly adapters: Adapters
  readonly bindings: Bindings
  readonly groups: Groups
  readonly transcripts: Transcripts
  readonly inbound: Inbound
  readonly outbound: Outbound
  readonly attention: ExternalMessageAttention
  readonly #retention: ExternalMessageRetention
  readonly #conversations: Conversations
  readonly #undelivered: Undelivered

  constructor(
    context: CityContext,
    options: {
      config: Pick<Config, 'current'>
      repository: SessionRepository
      resolver: SessionResolver
      creator: SessionCreator
      waker: SessionWaker
      queue: MessageQueue
      services: AdapterServices
      /** The name of the city. */
      city: string
      /** Address on which the supervisor listens. */
      url(): string
    },
  ) {
    const { store, clock } = context
    const sessions = new MessagedSessions(options)
    const conversations = new Conversations(store, clock)
    const memberships = new Memberships(store)
    const senders = new SenderCheck(sessions)
    const undelivered = new Undelivered(store, clock)
    const health = new AdapterHealth(clock)
    const parts = { ...options, sessions, conversations, memberships, senders, undelivered, health }
    const adapters = new Adapters(context, { ...options, health })
    const bindings = new Bindings(context, parts)
    const groups = new Groups(context, parts)
    const transcripts = new Transcripts(context, parts.conversations, parts.memberships, parts.senders)
    const nudger = new TranscriptNudger({ ...parts, transcripts })
    const all = { ...parts, adapters, bindings, groups, transcripts, nudger }
    this.adapters = adapters
    this.bindings = bindings
    this.groups = groups
    this.transcripts = transcripts
    this.inbound = new Inbound(context, all)
    this.outbound = new Outbound(context, all)
    this.attention = new ExternalMessageAttention(health, undelivered)
    this.#retention = new ExternalMessageRetention(context)
    this.#conversations = conversations
    this.#undelivered = undelivered
  }

  start(): void {
    this.#retention.start()
  }

  async stop(): Promise<void> {
    await this.outbound.close()
    await this.#retention.stop()
  }

  /** The conversations that gc knows, the newest first. */
  conversations({ cursor, limit }: { cursor?: string; limit?: number }): ConversationViewList {
    const [before = Number.MAX_SAFE_INTEGER] = parseKeyCursor(cursor, LIST, 1) ?? []
    const size = pageSize(limit)
    const { items, last } = fillPage(this.#conversations.page(before, size + 1), size, (row) => this.#view(row))
    return { items, total: this.#conversations.count(), ...(last && { next_cursor: cursorAfterKey(LIST, [last.n]) }) }
  }

  conversation(id: string): ConversationView {
    const n = /^c(\d{1,15})$/.exec(id)?.[1]
    const row = n === undefined ? undefined : this.#conversations.byNumber(Number(n))
    if (row) return this.#view(row)
    throw new AppError('conversation-not-found', `conversation ${id} not found; \`gc extmsg list\` lists valid names`)
  }

  #view(row: ConversationRow): ConversationView {
    const binding = this.bindings.of(row)
    const group = this.groups.of(row)
    const undelivered = this.#undelivered.find(row)
    const conversation = toRef(row)
    return {
      id: conversationName(row),
      conversation,
      ...(binding && { binding: this.bindings.toRecord(binding, conversation) }),
      ...(group && { group_id: group.id }),
      last_sequence: row.head,
      ...(undelivered && { undelivered: undeliveredText(undelivered) }),
      updated_at: toTimestamp(row.updatedAt),
    }
  }
}

/** Messengers that cannot be reached, and conversations that no one reads. */
class ExternalMessageAttention implements AttentionSource {
  readonly name = 'extmsg'

  constructor(
    private readonly health: AdapterHealth,
    private readonly undelivered: Undelivered,
  ) {}

  items(): AttentionEntry[] {
    return [...this.#adapters(), ...this.#conversations()]
  }

  onChange(listener: () => void): () => void {
    return unsubscriber(this.health.onChange(listener), this.undelivered.onChange(listener))
  }

  #adapters(): AttentionEntry[] {
    return this.health.unreachable().map(({ provider, accountId, reason, since }) => ({
      id: `adapter:${provider}/${accountId}`,
      kind: 'adapter',
      since: toTimestamp(since),
      asks: `Messages of agents do not reach ${provider}/${accountId}: ${reason}. Each sender was told.`,
      to_do: 'start the adapter again, which registers itself; the next message that it takes ends this',
    }))
  }

  #conversations(): AttentionEntry[] {
    return this.undelivered.all().map(({ row, known }) => {
      const name = conversationName(row)
      const giveAway = `gc extmsg handoff ${name} --to <session or agent>`
      return {
        id: `conversation:${name}`,
        kind: 'conversation',
        since: toTimestamp(known.since),
        asks: `Messages of conversation ${name} in ${row.provider} are not delivered: ${undeliveredText(known)}`,
        to_do:
          known.said === ''
            ? `gc extmsg transcript ${name}, then ${giveAway}`
            : `${giveAway}, or gc extmsg unbind ${name} to answer nothing`,
      }
    })
  }
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Time messages, receipts, and conversations that no one answers are kept. */
const MESSAGE_AGE = 90 * DAY_MS
const RECEIPT_AGE = 7 * DAY_MS
const CONVERSATION_AGE = 90 * DAY_MS
/** Maximum rows removed by one write. */
const SLICE = 200

/** A conversation that a default route bound, and in which nothing happened since. */
const UNUSED_ROUTE = (key: string): string =>
  `${key} IN (SELECT b.conversation FROM extmsg_conversations c JOIN extmsg_bindings b ON b.conversation = c.n
   WHERE c.updated_at < ?1 AND b.routed = 1)`

/** A conversation that no one answers, and in which nothing happened since. */
const UNUSED = `updated_at < ?1
  AND NOT EXISTS (SELECT 1 FROM extmsg_bindings WHERE conversation = extmsg_conversations.n)
  AND NOT EXISTS (SELECT 1 FROM extmsg_groups WHERE conversation = extmsg_conversations.n)
  AND NOT EXISTS (SELECT 1 FROM extmsg_messages WHERE conversation = extmsg_conversations.n)`

const removal = (age: number, table: string, key: string, condition: string) => ({
  age,
  statement: command<[number, number]>(
    `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ?2)`,
  ),
})

const REMOVALS = [
  removal(MESSAGE_AGE, 'extmsg_messages', 'n', 'recorded_at < ?1'),
  removal(RECEIPT_AGE, 'extmsg_receipts', 'n', 'created_at < ?1'),
  removal(CONVERSATION_AGE, 'extmsg_memberships', 'conversation', UNUSED_ROUTE('conversation')),
  removal(CONVERSATION_AGE, 'extmsg_bindings', 'conversation', UNUSED_ROUTE('conversation')),
  removal(CONVERSATION_AGE, 'extmsg_undelivered', 'conversation', 'since < ?1'),
  removal(CONVERSATION_AGE, 'extmsg_conversations', 'n', UNUSED),
]

/** Keeps conversations from growing indefinitely. */
class ExternalMessageRetention {
  #next: Deadline | undefined
  #running: Promise<void> | undefined
  #isStopped = false

  constructor(private readonly context: CityContext) {}

  /** Runs now, and again an hour after each run. */
  start(): void {
    const { deadlines, reportError: report } = this.context
    this.#running = this.#run()
      .catch(report)
      .finally(() => {
        if (!this.#isStopped) this.#next = deadlines.interval(HOUR_MS, () => this.start())
      })
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#next?.cancel()
    await this.#running
  }

  async #run(): Promise<void> {
    const { store, clock } = this.context
    for (const { statement, age } of REMOVALS) {
      const before = clock.now() - age
      while (!this.#isStopped) {
        const { changes } = await store.write((tx) => tx.run(statement, before, SLICE), gcPart('extmsg'))
        if (changes < SLICE) break
      }
    }
  }
}

/** Recipient of a message. */
interface Destination {
  readonly binding?: BindingRow
  readonly group?: GroupRouteDecision
}

const NO_GROUP: GroupRouteDecision = { Match: 'no_group', TargetSessionID: '', UpdateCursor: false }
const NO_MATCH: GroupRouteDecision = { Match: 'no_match', TargetSessionID: '', UpdateCursor: false }

/** Messages from outside: each is written down and given to who answers its conversation, or to no one. */
class Inbound {
  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      adapters: Adapters
      conversations: Conversations
      bindings: Bindings
      groups: Groups
      transcripts: Transcripts
      nudger: TranscriptNudger
      undelivered: Undelivered
      config: Pick<Config, 'current'>
    },
  ) {}

  async post(caller: Caller, { message, provider, account_id }: InboundRequest): Promise<InboundResult> {
    if (!message) throw this.#rejectRaw(provider?.trim() ?? '', account_id?.trim() ?? '')
    this.check(message)
    return this.context.store.write((tx) => this.receive(tx, message), actorOf(caller))
  }

  /** Throws when a message cannot be taken. */
  check(message: ExternalInboundMessage): ConversationRef {
    const code = 'invalid-request'
    const { provider_message_id, dedup_key, explicit_target, reply_to_message_id, actor, received_at } = message
    const names = { provider_message_id, dedup_key, explicit_target, reply_to_message_id }
    for (const [field, value] of Object.entries(names)) checkName(field, value, code)
    checkName('actor.id', actor.id, code)
    checkName('actor.display_name', actor.display_name, code)
    checkText('text', message.text, code)
    checkAttachments(message.attachments, code)
    if (Number.isNaN(Date.parse(received_at))) {
      throw new AppError(code, 'received_at must be a time, such as 2026-11-22T08:00:00Z')
    }
    return toConversation(message.conversation, code)
  }

  /** Writes a message down and queues it for who answers. One that came before changes nothing. */
  receive(tx: Tx, message: ExternalInboundMessage): InboundResult {
    const ref = this.check(message)
    const row = this.#route(tx, ref)
    const destination = row ? this.#destination(row, message) : { group: NO_GROUP }
    if (!row || !isTaken(destination)) {
      this.#wait(tx, ref, row, message)
      return resultOf(message, ref, destination, this.peers.bindings)
    }
    const key = message.dedup_key?.trim() || message.provider_message_id.trim()
    const repeated = this.peers.transcripts.findRepeated(row, key)
    const entry = repeated ?? this.#write(tx, row, message, key, destination)
    return resultOf(message, ref, destination, this.peers.bindings, entry)
  }

  /** A person hears of a message that no one answers; it is in no transcript. */
  #wait(tx: Tx, ref: ConversationRef, known: ConversationRow | undefined, message: ExternalInboundMessage): void {
    const { conversations, groups, undelivered } = this.peers
    if (!known && !undelivered.hasRoom) return
    const row = known ?? conversations.ensure(tx, ref)
    const reason = groups.of(row) ? 'it names no one of its group' : 'no session replies to it'
    undelivered.add(tx, row, reason, `${message.actor.display_name || message.actor.id}: ${message.text}`)
  }

  #write(tx: Tx, row: ConversationRow, message: ExternalInboundMessage, key: string, to: Destination): TranscriptRow {
    const { log } = this.context
    const { transcripts, groups, nudger } = this.peers
    const handle = toHandle(message.explicit_target ?? '')
    const entry = transcripts.append(tx, row, {
      kind: 'inbound',
      providerMessageId: message.provider_message_id,
      dedupKey: key,
      actor: message.actor,
      body: message.text,
      explicitTarget: handle,
      replyTo: message.reply_to_message_id ?? '',
      attachments: message.attachments ?? null,
      sourceSession: '',
      createdAt: Date.parse(message.received_at),
    })
    const group = groups.of(row)
    if (group && to.group?.UpdateCursor) groups.moveCursor(tx, group, handle)
    const target = nudger.nudge(tx, row, entry, {
      sessionId: to.binding?.sessionId || to.group?.TargetSessionID || '',
      agentName: to.binding?.agentName ?? '',
    })
    const agent = to.binding?.agentName
    log.append(
      tx,
      MessageReceived,
      { ...((target || agent) && { subject: target || agent }) },
      {
        provider: row.provider,
        conversation_id: row.conversation_id,
        actor: message.actor.display_name || message.actor.id,
        target_session: target,
        ...(agent && { target_agent: agent }),
      },
    )
    return entry
  }

  /** The row of a conversation that somebody answers, which a default route may be the first to say. */
  #route(tx: Tx, ref: ConversationRef): ConversationRow | undefined {
    const { conversations, bindings, groups } = this.peers
    const known = conversations.find(ref)
    if (known && (bindings.of(known) || groups.of(known))) return known
    const route = this.#defaultRoute(ref)
    if (!route) return known
    const row = conversations.ensure(tx, ref)
    bindings.bindByRoute(tx, row, route.agent)
    return row
  }

  /** The route of the account, else that of the whole messenger. */
  #defaultRoute({ provider, account_id }: ConversationRef): DefaultRouteConfig | undefined {
    const routes = this.peers.config.current.defaultRoutes.filter((route) => route.provider === provider)
    return routes.find(({ accountId }) => accountId === account_id) ?? routes.find(({ accountId }) => !accountId)
  }

  #destination(row: ConversationRow, { explicit_target = '' }: ExternalInboundMessage): Destination {
    const { bindings, groups } = this.peers
    const binding = bindings.of(row)
    if (binding) return { binding }
    const group = groups.of(row)
    if (!group) return { group: NO_GROUP }
    const decide = (Match: string, handle: string): GroupRouteDecision | undefined => {
      const participant = groups.participantOf(group, handle)
      return participant && { Match, TargetSessionID: participant.sessionId, UpdateCursor: Match === 'explicit_target' }
    }
    const explicit = toHandle(explicit_target)
    if (explicit !== '') return { group: decide('explicit_target', explicit) ?? NO_MATCH }
    const decision = decide('last_addressed', group.lastHandle) ?? decide('default', group.defaultHandle)
    return { group: decision ?? NO_MATCH }
  }

  /** Reason a message in the form of its messenger is not read. */
  #rejectRaw(provider: string, accountId: string): AppError {
    if (provider === '' || accountId === '') {
      return new AppError('invalid-request', 'provider and account_id are required for raw payloads; or send `message`')
    }
    try {
      const { name } = this.peers.adapters.require(provider, accountId)
      const detail = `HTTP adapter "${name}" does not support raw inbound verification: send the message as \`message\``
      return new AppError('validation-failed', `adapter verification failed: ${detail}`)
    } catch (error) {
      return error instanceof AppError ? error : new AppError('validation-failed', errorMessage(error))
    }
  }
}

const isTaken = ({ binding, group }: Destination): boolean =>
  binding !== undefined || (group !== undefined && group.TargetSessionID !== '')

const resultOf = (
  message: ExternalInboundMessage,
  ref: ConversationRef,
  { binding, group }: Destination,
  bindings: Bindings,
  entry?: TranscriptRow,
): InboundResult => ({
  Message: message,
  Binding: binding ? bindings.toRecord(binding, ref) : null,
  GroupRoute: group ?? null,
  TranscriptEntry: entry ? toRecord(entry, ref) : null,
  TargetSessionID: binding?.sessionId || group?.TargetSessionID || '',
  TargetAgentName: binding?.agentName ?? '',
})
