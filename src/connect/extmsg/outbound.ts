import { and, eq, lte } from 'drizzle-orm'
import type { CityContext } from '../../core/city-context.ts'
import { type Clock, toTimestamp } from '../../core/clock.ts'
import { sha256 } from '../../core/digest.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import type { Store, Tx } from '../../core/store/index.ts'
import { redactTokens } from '../../core/text/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import { ChannelMismatch, MessagePublished } from '../events.ts'
import type { AdapterHealth } from './adapter-health.ts'
import type { AdapterServices } from './adapter-services.ts'
import type { Adapter, Adapters } from './adapters.ts'
import type { Bindings } from './bindings.ts'
import type { Callback } from './callback-url.ts'
import { describeConversation, toConversation } from './conversation.ts'
import { type Conversations, toRef } from './conversations.ts'
import type { Groups } from './groups.ts'
import { checkName, checkText } from './limits.ts'
import type { OutboundRequest, OutboundResult, PublishReceipt } from './message-schema.ts'
import { readReply } from './reply.ts'
import type { ConversationRef } from './schema.ts'
import type { SenderCheck } from './sender.ts'
import type { MessagedSessions } from './sessions.ts'
import { type BindingRow, type ConversationRow, type ReceiptRow, receipts } from './table.ts'
import { type Transcripts, toRecord } from './transcripts.ts'

/** A message that may be sent. */
interface Sending {
  readonly row: ConversationRow
  readonly binding: BindingRow | undefined
  readonly adapter: Adapter
  readonly publication: Publication
}

const NOBODY = { id: '', display_name: '', is_bot: false }

/**
 * Messages to the outside: each is handed to the adapter of its conversation once, and the caller learns the result of
 * it.
 */
export class Outbound {
  readonly #receipts: Receipts
  readonly #closed = new AbortController()
  /** Deliveries in progress, by key; a repeated request waits for them. */
  readonly #underway = new Map<string, Promise<OutboundResult>>()
  readonly #all = new Set<Promise<unknown>>()

  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      adapters: Adapters
      health: AdapterHealth
      conversations: Conversations
      bindings: Bindings
      groups: Groups
      transcripts: Transcripts
      sessions: MessagedSessions
      senders: SenderCheck
      services: AdapterServices
    },
  ) {
    this.#receipts = new Receipts(context.store, context.clock)
  }

  async send(caller: Caller, body: OutboundRequest): Promise<OutboundResult> {
    const ref = toConversation(body.conversation, 'validation-failed')
    checkText('text', body.text ?? '', 'validation-failed')
    checkName('reply_to_message_id', body.reply_to_message_id, 'validation-failed')
    checkName('idempotency_key', body.idempotency_key, 'validation-failed')
    const session = this.peers.senders.require(caller, body.session_id)
    const key = this.#keyOf(ref, session, body)
    if (!key) return this.#track(this.#first(caller, ref, session, body))
    const name = Receipts.nameOf(key)
    const earlier = this.#underway.get(name)
    const known = this.#receipts.find(key)
    if (known && known.digest !== key.digest) throw reused()
    if (earlier) return earlier
    if (known) return known.result ?? this.#interrupted(caller, ref, key)
    const sending = this.#track(this.#first(caller, ref, session, body, key))
    this.#underway.set(name, sending)
    return sending.finally(() => this.#underway.delete(name))
  }

  /** Stops waiting for adapters: what they were sent may have arrived, and its receipt shows it. */
  async close(): Promise<void> {
    this.#closed.abort()
    await Promise.allSettled(this.#all)
  }

  /** The key of a request; undefined when it has none, or its conversation is not known. */
  #keyOf(
    ref: ConversationRef,
    session: string,
    { idempotency_key, text = '' }: OutboundRequest,
  ): ReceiptKey | undefined {
    const row = idempotency_key ? this.peers.conversations.find(ref) : undefined
    return row && idempotency_key ? Receipts.keyFor(row.n, session, idempotency_key, text) : undefined
  }

  async #first(
    caller: Caller,
    ref: ConversationRef,
    session: string,
    body: OutboundRequest,
    key?: ReceiptKey,
  ): Promise<OutboundResult> {
    const sending = await this.#prepare(caller, ref, session, body)
    const { store } = this.context
    if (key) await store.write((tx) => this.#receipts.begin(tx, key), actorOf(caller))
    const receipt = await this.#publish(sending)
    return store.write((tx) => {
      const result = this.#record(tx, sending, receipt)
      if (key) this.#receipts.finish(tx, key, result)
      return result
    }, actorOf(caller))
  }

  async #prepare(caller: Caller, ref: ConversationRef, session: string, body: OutboundRequest): Promise<Sending> {
    const { conversations, adapters, health } = this.peers
    const row = conversations.find(ref)
    const binding = row && this.peers.bindings.of(row)
    if (!row || (!binding && !this.#isParticipant(row, session))) {
      throw new AppError('validation-failed', `no active binding for conversation ${describeConversation(ref)}`)
    }
    if (binding) await this.#requireOwner(caller, ref, binding, session)
    const adapter = adapters.find(ref.provider, ref.account_id)
    if (!adapter) health.failed(ref.provider, ref.account_id, 'no adapter is registered for it')
    const { text = '', reply_to_message_id, idempotency_key } = body
    return {
      row,
      binding,
      adapter: adapter ?? adapters.require(ref.provider, ref.account_id),
      publication: {
        session_id: session,
        conversation: ref,
        text: redactTokens(text),
        ...(reply_to_message_id && { reply_to_message_id }),
        ...(idempotency_key && { idempotency_key }),
      },
    }
  }

  #isParticipant(row: ConversationRow, session: string): boolean {
    const group = this.peers.groups.of(row)
    return group !== undefined && this.peers.groups.hasSession(group, session)
  }

  /** Throws, and records the attempt, when the conversation is bound to another session. */
  async #requireOwner(caller: Caller, ref: ConversationRef, binding: BindingRow, session: string): Promise<void> {
    const { store, log } = this.context
    const owner = binding.sessionId || this.#liveOf(binding.agentName)
    if (owner === session) return
    const { provider, conversation_id } = ref
    const payload = { provider, conversation_id, posting_session: session, owner_session: owner }
    await store.write((tx) => void log.append(tx, ChannelMismatch, { subject: session }, payload), actorOf(caller))
    const bound = binding.sessionId || `agent ${binding.agentName}`
    throw new AppError(
      'validation-failed',
      `session "${session}" does not own binding for conversation ${describeConversation(ref)} (bound to ${bound})`,
    )
  }

  #liveOf(agentName: string): string {
    try {
      return this.peers.sessions.liveOf(agentName)?.id ?? ''
    } catch {
      return ''
    }
  }

  /** One attempt, with its time bounded. */
  async #publish({ adapter, publication }: Sending): Promise<PublishReceipt> {
    const { deadlines } = this.context
    const { health } = this.peers
    const { provider, accountId, callback } = adapter
    if (callback === undefined) return receiptOf(publication.conversation, 'unsupported')
    const target = this.#targetOf(callback)
    if (!target) {
      health.failed(provider, accountId, 'its service is not ready')
      return receiptOf(publication.conversation, 'transient', { reason: 'the service of its adapter is not ready' })
    }
    const late = new AbortController()
    const deadline = deadlines.after(PUBLISH_TIMEOUT, () => late.abort())
    const receipt = await publish(target, publication, AbortSignal.any([late.signal, this.#closed.signal]))
    deadline.cancel()
    if (receipt.FailureKind === 'transient' || receipt.FailureKind === 'unknown') {
      health.failed(provider, accountId, 'it does not answer as it should')
    } else health.answered(provider, accountId)
    return receipt
  }

  /** Address of an adapter; undefined while it is a service that is not ready. */
  #targetOf(callback: Callback): PublishTarget | undefined {
    if ('url' in callback) return callback
    const unix = this.peers.services.socketOf(callback.service)
    return unix === undefined ? undefined : { url: `http://localhost${callback.path}`, unix }
  }

  #record(tx: Tx, { row, binding, publication }: Sending, receipt: PublishReceipt): OutboundResult {
    if (!receipt.Delivered) return { Receipt: receipt, DeliveryContext: null, TranscriptEntry: null }
    const { log, clock } = this.context
    const { transcripts } = this.peers
    const { session_id: session, text, reply_to_message_id: replyTo = '' } = publication
    const entry = transcripts.append(tx, row, {
      ...{ kind: 'outbound', providerMessageId: receipt.MessageID, dedupKey: receipt.MessageID, actor: NOBODY },
      ...{ body: text, explicitTarget: '', replyTo, attachments: null, sourceSession: session, createdAt: clock.now() },
    })
    const { provider, conversation_id } = row
    const payload = { provider, conversation_id, session, message_id: receipt.MessageID }
    log.append(tx, MessagePublished, { subject: session }, payload)
    const conversation = toRef(row)
    return {
      Receipt: receipt,
      DeliveryContext: binding?.sessionId
        ? {
            ID: '',
            SchemaVersion: 0,
            SessionID: session,
            Conversation: conversation,
            BindingGeneration: binding.generation,
            LastPublishedAt: toTimestamp(entry.createdAt),
            LastMessageID: receipt.MessageID,
            SourceSessionID: session,
            Metadata: null,
          }
        : null,
      TranscriptEntry: toRecord(entry, conversation),
    }
  }

  /** The result of a message that was on its way when the supervisor stopped: no one knows whether it arrived. */
  #interrupted(caller: Caller, ref: ConversationRef, key: ReceiptKey): Promise<OutboundResult> {
    const metadata = { reason: 'gc was stopped while the message was on its way' }
    const result = { Receipt: receiptOf(ref, 'unknown', metadata), DeliveryContext: null, TranscriptEntry: null }
    return this.context.store.write((tx) => {
      this.#receipts.finish(tx, key, result)
      return result
    }, actorOf(caller))
  }

  #track<Result>(work: Promise<Result>): Promise<Result> {
    this.#all.add(work)
    return work.finally(() => this.#all.delete(work))
  }
}

const reused = () =>
  new AppError('idempotency-mismatch', 'idempotency_key was used for another text; give each message a key of its own')

/** Identity of a session's message, with its text. */
interface ReceiptKey {
  readonly conversation: number
  readonly sessionId: string
  readonly key: string
  readonly digest: string
}

/** Maximum receipts of a city. */
const MAX_RECEIPTS = 20_000

/** Outcomes of messages with a key. */
class Receipts {
  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
  ) {}

  static keyFor(conversation: number, sessionId: string, key: string, text: string): ReceiptKey {
    return { conversation, sessionId, key, digest: sha256(text) }
  }

  static nameOf({ conversation, sessionId, key }: ReceiptKey): string {
    return `${conversation} ${sessionId} ${key}`
  }

  find(key: ReceiptKey): ReceiptRow | undefined {
    return this.store.read((orm) => orm.select().from(receipts).where(isOf(key)).get())
  }

  /** Says, before a message is sent, that it may have been. */
  begin(tx: Tx, key: ReceiptKey): void {
    const { n } = tx.orm
      .insert(receipts)
      .values({ ...key, createdAt: this.clock.now() })
      .returning()
      .get()
    tx.orm
      .delete(receipts)
      .where(lte(receipts.n, n - MAX_RECEIPTS))
      .run()
  }

  finish(tx: Tx, key: ReceiptKey, result: OutboundResult): void {
    tx.orm.update(receipts).set({ result }).where(isOf(key)).run()
  }
}

const isOf = ({ conversation, sessionId, key }: ReceiptKey) =>
  and(eq(receipts.conversation, conversation), eq(receipts.sessionId, sessionId), eq(receipts.key, key))

/** A message on its way to an adapter. */
interface Publication {
  readonly session_id: string
  readonly conversation: ConversationRef
  readonly text: string
  readonly reply_to_message_id?: string
  readonly idempotency_key?: string
}

/** Address of an adapter, with a socket if it is a service of the city. */
interface PublishTarget {
  readonly url: string
  readonly unix?: string
}

/** Maximum time an adapter may take to answer, in milliseconds. */
const PUBLISH_TIMEOUT = 30_000
const MAX_ANSWER_BYTES = 1024 * 1024

const FAILURES: Readonly<Record<number, string>> = { 401: 'auth', 403: 'auth', 404: 'not_found', 429: 'rate_limited' }

/** Errors of a connection that was never made, so that nothing was sent. */
const NOT_SENT = new Set([
  'ConnectionRefused',
  'ECONNREFUSED',
  'ENOENT',
  'FileNotFound',
  'FailedToOpenSocket',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'DNSException',
])

/**
 * Hands a message to an adapter, once. The receipt says the outcome of it: `unknown` when it was sent and no answer
 * came. Nothing but the registered address is asked, no token goes with it, and what it answers is bounded.
 */
async function publish(
  { url, unix }: PublishTarget,
  publication: Publication,
  signal: AbortSignal,
): Promise<PublishReceipt> {
  const failed = (kind: string, reason?: string): PublishReceipt =>
    receiptOf(publication.conversation, kind, reason === undefined ? null : { reason })
  try {
    const response = await fetch(`${url}/publish`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gc-request': 'true', 'accept-encoding': 'identity' },
      body: JSON.stringify(publication),
      redirect: 'manual',
      keepalive: false,
      signal,
      ...(unix !== undefined && { unix }),
    })
    const text = await readBounded(response)
    if (!response.ok) return failed(failureOf(response.status))
    return (text !== undefined && readReply(text)) || failed('transient')
  } catch (error) {
    if (NOT_SENT.has(codeOf(error))) return failed('transient')
    return failed('unknown', signal.aborted ? 'the adapter did not answer in time' : errorMessage(error))
  }
}

/** The receipt of a message that an adapter did not confirm. */
const receiptOf = (
  conversation: ConversationRef,
  kind: string,
  metadata: PublishReceipt['Metadata'] = null,
): PublishReceipt => ({
  MessageID: '',
  Conversation: conversation,
  Delivered: false,
  FailureKind: kind,
  RetryAfter: 0,
  Metadata: metadata,
})

const failureOf = (status: number): string => FAILURES[status] ?? (status >= 500 ? 'transient' : 'permanent')

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''

/** The body as text; undefined when it is longer than an answer may be, of which the rest is not read. */
async function readBounded(response: Response): Promise<string | undefined> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    size += part.byteLength
    if (size > MAX_ANSWER_BYTES) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}
