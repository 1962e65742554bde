import { command, query, type Store, stablePlan, type Tx } from '../../../core/store/index.ts'
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

const INSERT = command<Insert>(
  'INSERT INTO revisions (kind, target, title, content, url, written_at, replaced_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
)

const LIST = query<Row, [number, number, number]>(stablePlan(REVISION_SQL.list))

const TRIM = command<[number, number, number]>(stablePlan(REVISION_SQL.trim))

const DELETE = command<[number, number]>('DELETE FROM revisions WHERE kind = ? AND target = ?')

/** Earlier versions of posts and comments, for their authors and the moderators of their communities. */
export class Revisions {
  constructor(private readonly store: Store) {}

  /** Stores what a text was before an edit. */
  add(tx: Tx, kind: Kind, target: number, { title, content, url, written_at, replaced_at }: Revised): void {
    tx.run(INSERT, KINDS[kind], target, title, content, url, written_at, replaced_at)
    tx.run(TRIM, KINDS[kind], target, MAX_REVISIONS)
  }

  list(kind: Kind, target: number): RevisionListResponse {
    const revisions = this.store.all(LIST, KINDS[kind], target, MAX_REVISIONS).map((row) => ({
      ...{ title: row.title, content: row.content, url: row.url },
      ...{ written_at: timestamp(row.written_at), replaced_at: timestamp(row.replaced_at) },
    }))
    return { success: true, revisions }
  }

  /** Deletes what is stored of a deleted text. */
  delete(tx: Tx, kind: Kind, target: number): void {
    tx.run(DELETE, KINDS[kind], target)
  }
}
