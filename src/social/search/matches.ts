/** Comments, and posts: of equal scores posts come first. */
export type Kind = 0 | 1

/** What has the words that are looked for: its number, the score it is weighed by, how well it fits. */
export interface Match {
  n: number
  score: number
  kind: Kind
  similarity: number
}

/** An index of words, and the table with the scores that are not 0 of what it has. */
export interface Index {
  words: string
  weights: string
  kind: Kind
  similarity: number
}
export const POSTS: Index = { words: 'post_search', weights: 'post_weights', kind: 1, similarity: 0.75 }
export const TITLES: Index = { words: 'title_search', weights: 'post_weights', kind: 1, similarity: 1 }
export const COMMENTS: Index = { words: 'comment_search', weights: 'comment_weights', kind: 0, similarity: 0.5 }

/** The statement that finds the newest matches, newest first. */
export const newestSql = ({ words, weights, kind, similarity }: Index): string =>
  `SELECT x.n, coalesce(w.score, 0) AS score, ${kind} AS kind, ${similarity} AS similarity
   FROM (SELECT rowid AS n FROM ${words} WHERE ${words} MATCH ? ORDER BY rowid DESC LIMIT ?) x
   LEFT JOIN ${weights} w ON w.n = x.n ORDER BY x.n DESC`
