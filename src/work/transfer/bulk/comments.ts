import type { Database } from 'bun:sqlite'
import type { Statement } from '../../../core/statement.ts'
import { type CommentDraft, firstNumber, toComment } from '../../comments/comments.ts'
import type { BeadComment } from '../../comments/schema.ts'

/** The comments of new beads. */
export class ImportedComments {
  readonly #insert: Statement<unknown, [number, string, string, number, number, string]>

  constructor(db: Database) {
    this.#insert = db.prepare(
      'INSERT INTO bead_comments (n, id, author, created_at, size, text) VALUES (?, ?, ?, ?, ?, ?)',
    )
  }

  /** Writes the comments of one bead; of those with one id the last stands. */
  write(bead: string, number: number, drafts: readonly CommentDraft[]): BeadComment[] {
    const distinct = [...new Map(drafts.map((draft) => [draft.id, draft])).values()]
    return distinct.map(({ id, author, createdAt, text }, index) => {
      const n = firstNumber(number) + 1 + index
      this.#insert.run(n, id, author, createdAt, Buffer.byteLength(text), text)
      return toComment(bead, { n, id, author, created_at: createdAt, text })
    })
  }
}
