/** Strings, quoted names and comments, in which a question mark is not a parameter; and parameters. */
const TOKENS = /'(?:''|[^'])*'|"(?:""|[^"])*"|--[^\n]*|\?\d*/g

/**
 * The same SQL with a plan that does not depend on bound values. SQLite compiles a statement again at each run when its
 * planner may read a parameter: a LIMIT, or an equality beside an ORDER BY or in a join. That takes ten times as long as
 * a small query. The planner does not look behind `likely()`, which itself compiles to nothing. For statements that run
 * often and have such a parameter. https://sqlite.org/qpsg.html describes the switch for this, which bun:sqlite lacks.
 */
export const stablePlan = (sql: string): string =>
  sql.replace(TOKENS, (token) => (token.startsWith('?') ? `likely(${token})` : token))
