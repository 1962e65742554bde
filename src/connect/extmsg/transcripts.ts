import { and, asc, desc, eq, gt, gte, lte, sql } from 'drizzle-orm'
import type { CityContext } from '../../core/city-context.ts'
import { toTimestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { Store, Tx } from '../../core/store/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import { toConversation } from './conversation.ts'
import { type Conversations, toRef } from './conversations.ts'
import type { Memberships } from './memberships.ts'
import type { ConversationTranscriptRecord, TranscriptAck, TranscriptList } from './message-schema.ts'
import type { TranscriptQuery } from './schema.ts'
import type { SenderCheck } from './sender.ts'
import { type ConversationRow, messages, type TranscriptRow } from './table.ts'

/** A message that should be written down. */
export type TranscriptDraft = Omit<TranscriptRow, 'n' | 'conversation' | 'sequence' | 'recordedAt'>

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 500
/** Number of messages of a conversation that are kept. */
const MAX_MESSAGES = 10_000

const prepareRepeated = ({ orm }: Store) =>
  orm
    .select()
    .from(messages)
    .where(and(eq(messages.conversation, sql.placeholder('n')), eq(messages.dedupKey, sql.placeholder('key'))))
    .prepare()

/** Messages of conversations, with the read positions of sessions. */
export class Transcripts {
  readonly #repeated: ReturnType<typeof prepareRepeated>

  constructor(
    private readonly context: CityContext,
    private readonly conversations: Conversations,
    private readonly memberships: Memberships,
    private readonly senders: SenderCheck,
  ) {
    this.#repeated = prepareRepeated(context.store)
  }

  list({ after_sequence = 0, limit, order, ...ref }: TranscriptQuery): TranscriptList {
    const row = this.conversations.find(toConversation(ref, 'validation-failed'))
    if (!row) return { items: [], total: 0 }
    const size = Math.min(limit && limit > 0 ? limit : DEFAULT_LIMIT, MAX_LIMIT)
    const conversation = toRef(row)
    const found = this.context.store.read((orm) =>
      orm
        .select()
        .from(messages)
        .where(and(eq(messages.conversation, row.n), gt(messages.sequence, after_sequence)))
        .orderBy(order === 'desc' ? desc(messages.sequence) : asc(messages.sequence))
        .limit(size)
        .all(),
    )
    const items = found.map((message) => toRecord(message, conversation))
    return { items, total: items.length }
  }

  /** The messages from one sequence to another, the newest of them when there are more. */
  range({ n }: Pick<ConversationRow, 'n'>, from: number, to: number, limit: number): TranscriptRow[] {
    return this.context.store
      .read((orm) =>
        orm
          .select()
          .from(messages)
          .where(and(eq(messages.conversation, n), gte(messages.sequence, from), lte(messages.sequence, to)))
          .orderBy(desc(messages.sequence))
          .limit(limit)
          .all(),
      )
      .reverse()
  }

  /** A message that was written down under this key. */
  findRepeated({ n }: ConversationRow, key: string): TranscriptRow | undefined {
    return key === '' ? undefined : this.#repeated.get({ n, key })
  }

  /** Writes a message down; what is beyond the bound of the conversation goes. */
  append(tx: Tx, row: ConversationRow, draft: TranscriptDraft): TranscriptRow {
    const { clock } = this.context
    const { conversations } = this
    const sequence = conversations.nextSequence(tx, row)
    const message = { ...draft, conversation: row.n, sequence, recordedAt: clock.now() }
    tx.orm
      .delete(messages)
      .where(and(eq(messages.conversation, row.n), lte(messages.sequence, sequence - MAX_MESSAGES)))
      .run()
    return tx.orm.insert(messages).values(message).returning().get()
  }

  /** Says how far a session has read; less than before changes nothing. */
  async acknowledge(
    caller: Caller,
    { session_id, conversation, sequence = 0 }: TranscriptAck,
  ): Promise<OKResponseBody> {
    const { store } = this.context
    const { conversations, memberships, senders } = this
    const ref = toConversation(conversation, 'validation-failed')
    const session = senders.require(caller, session_id)
    if (sequence < 0) throw new AppError('validation-failed', 'extmsg invalid input: sequence must be non-negative')
    return store.write((tx) => {
      const row = conversations.find(ref)
      const member = row && memberships.find(row.n, session)
      if (!row || !member) {
        throw new AppError(
          'validation-failed',
          'extmsg membership not found: the session does not follow the conversation',
        )
      }
      if (sequence > row.head) {
        throw new AppError(
          'validation-failed',
          `extmsg invalid input: ack sequence ${sequence} exceeds head ${row.head}`,
        )
      }
      if (sequence > member.acked) memberships.update(tx, member, { acked: sequence })
      return { status: 'acked' }
    }, actorOf(caller))
  }
}

export const toRecord = (
  row: TranscriptRow,
  conversation: ConversationTranscriptRecord['Conversation'],
): ConversationTranscriptRecord => ({
  ID: `message-${row.n}`,
  SchemaVersion: 1,
  Conversation: conversation,
  Sequence: row.sequence,
  Kind: row.kind,
  Provenance: 'live',
  ProviderMessageID: row.providerMessageId,
  Actor: row.actor,
  Text: row.body,
  ExplicitTarget: row.explicitTarget,
  ReplyToMessageID: row.replyTo,
  Attachments: row.attachments,
  SourceSessionID: row.sourceSession,
  CreatedAt: toTimestamp(row.createdAt),
  Metadata: {},
})
