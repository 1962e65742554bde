/** Strings, quoted names and comments, in which a question mark is none, and parameters. */
const TOKENS = /'(?:''|[^'])*'|"(?:""|[^"])*"|--[^\n]*|\?\d*/g

/**
 * The same SQL, with a plan that does not hang on what is bound. SQLite compiles a statement anew at each run when its
 * planner may look at a bare parameter (a LIMIT, an equality beside an ORDER BY or in a join), and that takes ten times
 * as long as a small query. It does not look behind `likely()`, which itself compiles to nothing.
 * https://sqlite.org/qpsg.html tells of the switch for this, which bun:sqlite does not have.
 */
export const steady = (sql: string): string =>
  sql.replace(TOKENS, (token) => (token.startsWith('?') ? `likely(${token})` : token))
