/** 0 for comments, 1 for posts: of equal scores posts come first. */
export type Kind = 0 | 1

/** A post or comment that matches a search: its row number, its score, and how well it matches. */
export interface Match {
  n: number
  score: number
  kind: Kind
  similarity: number
}

/** A full-text index, and the table with the scores of its entries that are not 0. */
export interface SearchIndex {
  fullText: string
  weights: string
  kind: Kind
  similarity: number
}
export const POSTS: SearchIndex = { fullText: 'post_search', weights: 'post_weights', kind: 1, similarity: 0.75 }
export const TITLES: SearchIndex = { fullText: 'title_search', weights: 'post_weights', kind: 1, similarity: 1 }
export const COMMENTS: SearchIndex = {
  fullText: 'comment_search',
  weights: 'comment_weights',
  kind: 0,
  similarity: 0.5,
}

/** Selects the newest matches, newest first. */
export const newestSql = ({ fullText, weights, kind, similarity }: SearchIndex): string =>
  `SELECT m.n, coalesce(w.score, 0) AS score, ${kind} AS kind, ${similarity} AS similarity
   FROM (SELECT rowid AS n FROM ${fullText} WHERE ${fullText} MATCH ? ORDER BY rowid DESC LIMIT ?) m
   LEFT JOIN ${weights} w ON w.n = m.n ORDER BY m.n DESC`
