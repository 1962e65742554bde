import { AppError, errorMessage } from '../../core/errors.ts'
import type { EventLog } from '../../core/events/log.ts'
import type { Store, Tx } from '../../core/store.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { Adapters } from './adapters.ts'
import type { Bindings } from './bindings.ts'
import { toConversation } from './conversation.ts'
import type { Conversations } from './conversations.ts'
import { MessageReceived } from './events.ts'
import { type Groups, toHandle } from './groups.ts'
import { checkAttachments, checkName, checkText } from './limits.ts'
import type { GroupRouteDecision, InboundRequest, InboundResult } from './message-schema.ts'
import type { TranscriptNudger } from './nudger.ts'
import type { ConversationRef, ExternalInboundMessage } from './schema.ts'
import type { BindingRow, ConversationRow, TranscriptRow } from './table.ts'
import { type Transcripts, toRecord } from './transcripts.ts'
import type { Undelivered } from './undelivered.ts'

/** A configured route for conversations that nobody answers yet. */
export interface DefaultRoute {
  readonly provider: string
  readonly accountId?: string
  /** The named session that answers. */
  readonly agent: string
}

interface InboundOptions {
  store: Store
  log: EventLog
  adapters: Adapters
  conversations: Conversations
  bindings: Bindings
  groups: Groups
  transcripts: Transcripts
  nudger: TranscriptNudger
  undelivered: Undelivered
  defaultRoutes(): readonly DefaultRoute[]
}

/** Who gets a message. */
interface Destination {
  readonly binding?: BindingRow
  readonly group?: GroupRouteDecision
}

const NO_GROUP: GroupRouteDecision = { Match: 'no_group', TargetSessionID: '', UpdateCursor: false }
const NO_MATCH: GroupRouteDecision = { Match: 'no_match', TargetSessionID: '', UpdateCursor: false }

/** Takes messages from outside, in a write that the caller makes: what else follows from them can be part of it. */
export type InboundReceiver = Pick<Inbound, 'check' | 'receive'>

/** Messages from outside: each is written down and given to who answers its conversation, or to nobody. */
export class Inbound {
  constructor(private readonly options: InboundOptions) {}

  async post(caller: Caller, { message, provider, account_id }: InboundRequest): Promise<InboundResult> {
    if (!message) throw this.#rejectRaw(provider?.trim() ?? '', account_id?.trim() ?? '')
    this.check(message)
    return this.options.store.write((tx) => this.receive(tx, message), actorOf(caller))
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
      return resultOf(message, ref, destination, this.options.bindings)
    }
    const key = message.dedup_key?.trim() || message.provider_message_id.trim()
    const repeated = this.options.transcripts.findRepeated(row, key)
    const entry = repeated ?? this.#write(tx, row, message, key, destination)
    return resultOf(message, ref, destination, this.options.bindings, entry)
  }

  /** A person hears of a message that nobody answers; it is in no transcript. */
  #wait(tx: Tx, ref: ConversationRef, known: ConversationRow | undefined, message: ExternalInboundMessage): void {
    const { conversations, groups, undelivered } = this.options
    if (!known && !undelivered.hasRoom) return
    const row = known ?? conversations.ensure(tx, ref)
    const reason = groups.of(row) ? 'nobody of its group is meant' : 'nobody answers it'
    undelivered.add(tx, row, reason, `${message.actor.display_name || message.actor.id}: ${message.text}`)
  }

  #write(tx: Tx, row: ConversationRow, message: ExternalInboundMessage, key: string, to: Destination): TranscriptRow {
    const { transcripts, groups, nudger, log } = this.options
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
    const { conversations, bindings, groups } = this.options
    const known = conversations.find(ref)
    if (known && (bindings.of(known) || groups.of(known))) return known
    const route = this.#defaultRoute(ref)
    if (!route) return known
    const row = conversations.ensure(tx, ref)
    bindings.bindByRoute(tx, row, route.agent)
    return row
  }

  /** The route of the account, else that of the whole messenger. */
  #defaultRoute({ provider, account_id }: ConversationRef): DefaultRoute | undefined {
    const routes = this.options.defaultRoutes().filter((route) => route.provider === provider)
    return routes.find(({ accountId }) => accountId === account_id) ?? routes.find(({ accountId }) => !accountId)
  }

  #destination(row: ConversationRow, { explicit_target = '' }: ExternalInboundMessage): Destination {
    const { bindings, groups } = this.options
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

  /** Why a message in the form of its messenger is not read. */
  #rejectRaw(provider: string, accountId: string): AppError {
    if (provider === '' || accountId === '') {
      return new AppError('invalid-request', 'provider and account_id are required for raw payloads; or send `message`')
    }
    try {
      const { name } = this.options.adapters.require(provider, accountId)
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
