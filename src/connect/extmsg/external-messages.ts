import type { Clock } from '../../core/clock.ts'
import { toTimestamp } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import { AppError } from '../../core/errors.ts'
import type { EventLog } from '../../core/events/log.ts'
import type { Store } from '../../core/store.ts'
import { cursorAfterKey, parseKeyCursor } from '../../http/cursor.ts'
import { fillPage } from '../../http/page.ts'
import { pageSize } from '../../http/schema.ts'
import { AdapterHealth } from './adapter-health.ts'
import type { AdapterServices } from './adapter-services.ts'
import { Adapters } from './adapters.ts'
import { ExternalMessageAttention } from './attention.ts'
import { Bindings } from './bindings.ts'
import { Conversations, toRef } from './conversations.ts'
import { Groups } from './groups.ts'
import { type DefaultRoute, Inbound } from './inbound.ts'
import { Memberships } from './memberships.ts'
import type { ConversationView, ConversationViewList } from './message-schema.ts'
import { conversationName, TranscriptNudger } from './nudger.ts'
import { Outbound } from './outbound.ts'
import { ExternalMessageRetention } from './retention.ts'
import { SenderCheck } from './sender.ts'
import type { MessagedSessions } from './sessions.ts'
import type { ConversationRow } from './table.ts'
import { Transcripts } from './transcripts.ts'
import { Undelivered, undeliveredText } from './undelivered.ts'

export interface ExternalMessagesOptions {
  store: Store
  log: EventLog
  clock: Clock
  deadlines: Deadlines
  sessions: MessagedSessions
  services: AdapterServices
  /** The name of the city. */
  city: string
  /** Where the supervisor listens. */
  url(): string
  defaultRoutes(): readonly DefaultRoute[]
  report(error: unknown): void
}

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

  constructor(options: ExternalMessagesOptions) {
    const { store, clock, sessions } = options
    const conversations = new Conversations(store, clock)
    const memberships = new Memberships(store)
    const senders = new SenderCheck(sessions)
    const undelivered = new Undelivered(store, clock)
    const health = new AdapterHealth(clock)
    const parts = { ...options, conversations, memberships, senders, undelivered, health }
    const adapters = new Adapters({ ...options, health })
    const bindings = new Bindings(parts)
    const groups = new Groups(parts)
    const transcripts = new Transcripts(parts)
    const nudger = new TranscriptNudger({ ...parts, transcripts })
    const all = { ...parts, adapters, bindings, groups, transcripts, nudger }
    this.adapters = adapters
    this.bindings = bindings
    this.groups = groups
    this.transcripts = transcripts
    this.inbound = new Inbound(all)
    this.outbound = new Outbound(all)
    this.attention = new ExternalMessageAttention(health, undelivered)
    this.#retention = new ExternalMessageRetention(options)
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
    throw new AppError(
      'conversation-not-found',
      `conversation ${id} not found; \`gc extmsg list\` shows those there are`,
    )
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
