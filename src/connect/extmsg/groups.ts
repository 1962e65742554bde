import { and, eq } from 'drizzle-orm'
import type { CityContext } from '../../core/city-context.ts'
import { AppError } from '../../core/errors.ts'
import { randomHex } from '../../core/ids.ts'
import type { Tx } from '../../core/store/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import { GroupCreated } from '../events.ts'
import { toConversation } from './conversation.ts'
import { type Conversations, toRef } from './conversations.ts'
import { checkMetadata, checkName } from './limits.ts'
import type { Memberships } from './memberships.ts'
import type {
  ConversationGroupParticipant,
  ConversationGroupRecord,
  GroupQuery,
  GroupRequest,
  ParticipantName,
  ParticipantRequest,
} from './schema.ts'
import type { MessagedSessions } from './sessions.ts'
import { type ConversationRow, type GroupRow, groups, type ParticipantRow, participants } from './table.ts'
import type { Undelivered } from './undelivered.ts'

const LAUNCHER = 'launcher'
const NO_FANOUT = {
  Enabled: false,
  AllowUntargetedPublication: false,
  MaxPeerTriggeredPublishes: 0,
  MaxTotalPeerDeliveries: 0,
}
/** Maximum number of sessions answer one conversation. */
const MAX_PARTICIPANTS = 200

/** A handle as it is compared. */
export const toHandle = (given: string): string => given.trim().toLowerCase()

/** Conversations that several sessions answer, each under a handle. */
export class Groups {
  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      conversations: Conversations
      memberships: Memberships
      sessions: MessagedSessions
      undelivered: Undelivered
    },
  ) {}

  /** Makes a conversation a group, or changes the group that it is. */
  async ensure(caller: Caller, body: GroupRequest): Promise<ConversationGroupRecord> {
    const { root_conversation, mode = '', default_handle = '', metadata } = body
    const ref = toConversation(root_conversation, 'validation-failed')
    if (mode !== '' && mode !== LAUNCHER) {
      throw new AppError('validation-failed', `extmsg invalid input: invalid group mode "${mode}"; it may be launcher`)
    }
    checkName('default_handle', default_handle, 'validation-failed')
    checkMetadata(metadata, 'validation-failed')
    const { store } = this.context
    const { conversations } = this.peers
    return store.write((tx) => {
      const row = conversations.ensure(tx, ref)
      const defaultHandle = toHandle(default_handle)
      return toRecord(this.#upsert(tx, row, { defaultHandle, ...(metadata && { metadata }) }), row)
    }, actorOf(caller))
  }

  get(query: GroupQuery): ConversationGroupRecord {
    const row = this.#findConversation(query)
    const group = row && this.of(row)
    if (!row || !group) throw new AppError('extmsg-group-not-found', 'group not found for conversation')
    return toRecord(group, row)
  }

  async addParticipant(caller: Caller, body: ParticipantRequest): Promise<ConversationGroupParticipant> {
    const { store } = this.context
    const { conversations, memberships, sessions, undelivered } = this.peers
    const handle = toHandle(body.handle)
    const sessionId = sessions.idOf(body.session_id.trim())
    if (handle === '' || sessionId === '') {
      throw new AppError('validation-failed', 'handle and session_id must say who takes part, and under which name')
    }
    checkName('handle', handle, 'validation-failed')
    checkName('session_id', sessionId, 'validation-failed')
    checkMetadata(body.metadata, 'validation-failed')
    return store.write((tx) => {
      const group = this.#require(body.group_id)
      const row = conversations.byNumber(group.conversation)
      if (!row) throw new Error(`group ${group.id} has no conversation`)
      const previous = this.#participant(group.id, handle)
      if (!previous && this.#participants(group.id).length >= MAX_PARTICIPANTS) {
        throw new AppError('validation-failed', `the group has ${MAX_PARTICIPANTS} participants; remove some first`)
      }
      const given = { sessionId, public: body.public ?? false, ...(body.metadata && { metadata: body.metadata }) }
      const added = this.#put(tx, previous, { groupId: group.id, handle, ...given })
      if (previous && previous.sessionId !== sessionId) this.#leave(tx, group, previous.sessionId)
      memberships.join(tx, row, sessionId, 'group')
      undelivered.clear(tx, row)
      return this.#toParticipant(added)
    }, actorOf(caller))
  }

  /** Takes a participant out; one that is not there is no error. */
  async removeParticipant(caller: Caller, { group_id, handle }: ParticipantName): Promise<OKResponseBody> {
    return this.context.store.write((tx) => {
      const removed = { status: 'removed' }
      const group = this.#require(group_id)
      const participant = this.#participant(group.id, toHandle(handle))
      if (!participant) return removed
      tx.orm
        .delete(participants)
        .where(and(eq(participants.groupId, group.id), eq(participants.handle, participant.handle)))
        .run()
      this.#leave(tx, group, participant.sessionId)
      return removed
    }, actorOf(caller))
  }

  of({ n }: Pick<ConversationRow, 'n'>): GroupRow | undefined {
    return this.context.store.read((orm) => orm.select().from(groups).where(eq(groups.conversation, n)).get())
  }

  /** The participant that a handle means. */
  participantOf({ id }: GroupRow, handle: string): ParticipantRow | undefined {
    return handle === '' ? undefined : this.#participant(id, handle)
  }

  hasSession({ id }: GroupRow, session: string): boolean {
    return this.#participants(id).some(({ sessionId }) => sessionId === session)
  }

  /** Remembers who was addressed: what follows goes there as well. */
  moveCursor(tx: Tx, { id }: GroupRow, handle: string): void {
    tx.orm.update(groups).set({ lastHandle: handle }).where(eq(groups.id, id)).run()
  }

  #upsert(tx: Tx, row: ConversationRow, change: Pick<GroupRow, 'defaultHandle'> & Partial<GroupRow>): GroupRow {
    const current = this.of(row)
    if (current) return tx.orm.update(groups).set(change).where(eq(groups.id, current.id)).returning().get()
    const id = `group-${randomHex(6)}`
    const draft = { id, conversation: row.n, mode: LAUNCHER, lastHandle: '', metadata: {}, ...change }
    const { provider, conversation_id } = row
    this.context.log.append(tx, GroupCreated, { subject: id }, { provider, conversation_id, mode: LAUNCHER })
    return tx.orm.insert(groups).values(draft).returning().get()
  }

  #put(
    tx: Tx,
    previous: ParticipantRow | undefined,
    given: Omit<ParticipantRow, 'id' | 'metadata'> & Partial<ParticipantRow>,
  ): ParticipantRow {
    const row = { id: `participant-${randomHex(6)}`, metadata: {}, ...previous, ...given }
    tx.orm
      .insert(participants)
      .values(row)
      .onConflictDoUpdate({ target: [participants.groupId, participants.handle], set: row })
      .run()
    return row
  }

  /** Ends the membership of a session that answers to no handle any more. */
  #leave(tx: Tx, group: GroupRow, sessionId: string): void {
    if (!this.hasSession(group, sessionId)) this.peers.memberships.leaveGroup(tx, group.conversation, sessionId)
  }

  #findConversation(query: GroupQuery): ConversationRow | undefined {
    try {
      return this.peers.conversations.find(toConversation(query, 'invalid-request'))
    } catch {
      return undefined
    }
  }

  #require(id: string): GroupRow {
    const group = this.context.store.read((orm) => orm.select().from(groups).where(eq(groups.id, id)).get())
    if (!group) throw new AppError('validation-failed', `group ${id} not found; \`gc extmsg list\` lists valid names`)
    return group
  }

  #participant(group: string, handle: string): ParticipantRow | undefined {
    return this.context.store.read((orm) =>
      orm
        .select()
        .from(participants)
        .where(and(eq(participants.groupId, group), eq(participants.handle, handle)))
        .get(),
    )
  }

  #participants(group: string): ParticipantRow[] {
    return this.context.store.read((orm) =>
      orm.select().from(participants).where(eq(participants.groupId, group)).all(),
    )
  }

  #toParticipant(row: ParticipantRow): ConversationGroupParticipant {
    return {
      ID: row.id,
      GroupID: row.groupId,
      Handle: row.handle,
      SessionID: row.sessionId,
      SessionName: this.peers.sessions.find(row.sessionId)?.sessionName ?? '',
      Public: row.public,
      Metadata: row.metadata,
    }
  }
}

const toRecord = (group: GroupRow, row: ConversationRow): ConversationGroupRecord => ({
  ID: group.id,
  SchemaVersion: 1,
  RootConversation: toRef(row),
  Mode: group.mode,
  DefaultHandle: group.defaultHandle,
  LastAddressedHandle: group.lastHandle,
  FanoutPolicy: NO_FANOUT,
  Metadata: group.metadata,
})
