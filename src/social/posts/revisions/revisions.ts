import { type Statement, type Store, stablePlan, type Tx } from '../../../core/store/index.ts'
import { timestamp } from '../../shared/index.ts'
import type { RevisionListResponse } from './schema.ts'
import type { revisions } from './table.ts'

type Kind = 'post' | 'comment'
type Row = typeof revisions.$inferSelect
/** Earlier text, with the times it was written and replaced. */
export type Revised = Omit<Row, 'n' | 'kind' | 'target'>
type Insert = [number, number, string | null, string | null, string | null, number, number]

const KINDS: Readonly<Record<Kind, number>> = { post: 0, comment: 1 }
/** Number of earlier versions of one text that are stored. */
const MAX_REVISIONS = 50

export const REVISION_SQL = {
  list: 'SELECT * FROM revisions INDEXED BY revisions_of WHERE kind = ? AND target = ? ORDER BY n DESC LIMIT ?',
  trim: `DELETE FROM revisions WHERE n IN
    (SELECT n FROM revisions INDEXED BY revisions_of WHERE kind = ? AND target = ? ORDER BY n DESC LIMIT 10 OFFSET ?)`,
}

/** Earlier versions of posts and comments, for their authors and the moderators of their communities. */
export class Revisions {
  readonly #insert: Statement<unknown, Insert>
  readonly #list: Statement<Row, [number, number, number]>
  readonly #trim: Statement<unknown, [number, number, number]>
  readonly #delete: Statement<unknown, [number, number]>

  constructor(store: Store) {
    this.#insert = store.prepare(
      'INSERT INTO revisions (kind, target, title, content, url, written_at, replaced_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    this.#list = store.prepare(stablePlan(REVISION_SQL.list))
    this.#trim = store.prepare(stablePlan(REVISION_SQL.trim))
    this.#delete = store.prepare('DELETE FROM revisions WHERE kind = ? AND target = ?')
  }

  /** Stores what a text was before an edit. */
  add(tx: Tx, kind: Kind, target: number, { title, content, url, written_at, replaced_at }: Revised): void {
    tx.run(this.#insert, KINDS[kind], target, title, content, url, written_at, replaced_at)
    tx.run(this.#trim, KINDS[kind], target, MAX_REVISIONS)
  }

  list(kind: Kind, target: number): RevisionListResponse {
    const revisions = this.#list.all(KINDS[kind], target, MAX_REVISIONS).map((row) => ({
      ...{ title: row.title, content: row.content, url: row.url },
      ...{ written_at: timestamp(row.written_at), replaced_at: timestamp(row.replaced_at) },
    }))
    return { success: true, revisions }
  }

  /** Deletes what is stored of a deleted text. */
  delete(tx: Tx, kind: Kind, target: number): void {
    tx.run(this.#delete, KINDS[kind], target)
  }
}
