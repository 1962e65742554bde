/** The full-text indexes that searches read. */
export interface Indexes {
  readonly posts: string
  readonly titles: string
  readonly comments: string
  readonly agents: string
  readonly submolts: string
}

export const STEMS: Indexes = {
  posts: 'post_stems',
  titles: 'title_stems',
  comments: 'comment_stems',
  agents: 'agent_stems',
  submolts: 'submolt_stems',
}

/** The indexes of whole words, which a network has until those of stems are complete. */
export const WHOLE_WORDS: Indexes = {
  posts: 'post_search',
  titles: 'title_search',
  comments: 'comment_search',
  agents: 'agent_search',
  submolts: 'submolt_search',
}

/** Selects the newest entries of an index that match, newest first, among those between two row numbers. */
export const newestSql = (index: string): string =>
  `SELECT rowid AS n FROM ${index} WHERE ${index} MATCH ? AND rowid >= ? AND rowid < ? ORDER BY rowid DESC LIMIT ?`

/** Maximum mentions that a statement reads for terms. */
const MENTIONS = 64

/** Selects the first terms of an index from a text on: at least one, as many as are in a few mentions. */
export const nextTermsSql = (index: string): string =>
  `SELECT DISTINCT term FROM (SELECT term FROM ${index}_terms WHERE term >= ? LIMIT ${MENTIONS})`

/** The table of the terms of an index: in memory, as it only reads what the index has. */
export const termTableSql = (index: string): string =>
  `CREATE VIRTUAL TABLE IF NOT EXISTS temp.${index}_terms USING fts5vocab(main, ${index}, instance)`
