import { eq, sql } from 'drizzle-orm'
import type { BeadImporter } from '../beads/extensions.ts'
import { MAIL_PREFIX, MailKey } from '../metadata.ts'
import { messages } from './table.ts'
import { createThreadId } from './thread-id.ts'

/** Restores a message from its imported bead: from the labels, and the metadata that the bead showed. */
export const messageImporter: BeadImporter = {
  owns: (key) => key.startsWith(MAIL_PREFIX),
  import(tx, { id, labels, assignee, created_at: createdAt }, metadata) {
    const all: string[] = JSON.parse(labels)
    const afterPrefix = (prefix: string) => all.find((label) => label.startsWith(prefix))?.slice(prefix.length)
    const read = metadata[MailKey.read] === undefined ? all.includes('read') : metadata[MailKey.read] === 'true'
    const row = {
      thread: afterPrefix('thread:') ?? createThreadId(),
      replyTo: afterPrefix('reply-to:') ?? null,
      fromSession: metadata[MailKey.fromSessionId] ?? null,
      fromClaimed: metadata[MailKey.fromClaimed] ?? null,
      toSession: metadata[MailKey.toSessionId] ?? null,
      toDisplay: metadata[MailKey.toDisplay] ?? assignee,
      read,
      createdAt,
    }
    const open = sql<boolean>`(SELECT closed = 0 FROM beads WHERE id = ${id})`
    tx.orm
      .insert(messages)
      .values({ ...row, id, recipient: assignee, open })
      .onConflictDoNothing()
      .run()
    tx.orm.update(messages).set({ read }).where(eq(messages.id, id)).run()
  },
}
