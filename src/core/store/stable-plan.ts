/** Strings, quoted names and comments, in which a question mark is not a parameter; and parameters. */
const TOKENS = /'(?:''|[^'])*'|"(?:""|[^"])*"|--[^\n]*|\?\d*/g

/** Plans by the SQL they were made from: all stores of one kind prepare the same, and share its text. */
const plans = new Map<string, string>()
/** More than the program has; SQL that is built with lists may have any number of forms. */
const MAX_PLANS = 1024

/**
 * The same SQL with a plan that does not depend on bound values. SQLite compiles a statement again at each run when its
 * planner may read a parameter: a LIMIT, or an equality beside an ORDER BY or in a join. That takes ten times as long as
 * a small query. The planner does not look behind `likely()`, which itself compiles to nothing. For statements that run
 * often and have such a parameter. https://sqlite.org/qpsg.html describes the switch for this, which bun:sqlite lacks.
 */
export function stablePlan(sql: string): string {
  const known = plans.get(sql)
  if (known !== undefined) return known
  const plan = sql.replace(TOKENS, (token) => (token.startsWith('?') ? `likely(${token})` : token))
  if (plans.size < MAX_PLANS) plans.set(sql, plan)
  return plan
}
