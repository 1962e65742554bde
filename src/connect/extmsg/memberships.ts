import { and, eq, ne } from 'drizzle-orm'
import type { Store, Tx } from '../../core/store/index.ts'
import { type ConversationRow, type MembershipRow, memberships } from './table.ts'

/** Sessions that follow a conversation, with their read positions. */
export class Memberships {
  constructor(private readonly store: Store) {}

  of(conversation: number): MembershipRow[] {
    return this.store.read((orm) =>
      orm.select().from(memberships).where(eq(memberships.conversation, conversation)).all(),
    )
  }

  find(conversation: number, sessionId: string): MembershipRow | undefined {
    return this.store.read((orm) => orm.select().from(memberships).where(isMember(conversation, sessionId)).get())
  }

  /** Makes a session follow what comes from now on; one that follows already keeps its place. */
  join(
    tx: Tx,
    { n, head }: Pick<ConversationRow, 'n' | 'head'>,
    sessionId: string,
    owner: MembershipRow['owner'],
  ): void {
    tx.orm
      .insert(memberships)
      .values({ conversation: n, sessionId, owner, acked: head, nudgedFrom: 0, nudgedTo: 0 })
      .onConflictDoNothing()
      .run()
  }

  /** Ends the memberships that something owned, but for that of one session. */
  leave(tx: Tx, conversation: number, owner: MembershipRow['owner'], except = ''): void {
    tx.orm
      .delete(memberships)
      .where(
        and(
          eq(memberships.conversation, conversation),
          eq(memberships.owner, owner),
          ne(memberships.sessionId, except),
        ),
      )
      .run()
  }

  /** Ends the membership of one session of a group. */
  leaveGroup(tx: Tx, conversation: number, sessionId: string): void {
    tx.orm
      .delete(memberships)
      .where(and(isMember(conversation, sessionId), eq(memberships.owner, 'group')))
      .run()
  }

  update(tx: Tx, { conversation, sessionId }: MembershipRow, change: Partial<MembershipRow>): void {
    tx.orm.update(memberships).set(change).where(isMember(conversation, sessionId)).run()
  }
}

const isMember = (conversation: number, sessionId: string) =>
  and(eq(memberships.conversation, conversation), eq(memberships.sessionId, sessionId))
