import type { BeadRelation } from '../../src/work/beads/index.ts'
import type { BeadRecord } from '../../src/work/transfer/index.ts'

/** A bead as lists of `bd` print it: with its dependencies and counts. */
export type CountedIssue = BeadRecord

/** A bead as `bd create` and `bd dep list` print it. */
export type Issue = Omit<BeadRecord, Counts>
type Counts = 'comment_count' | 'dependency_count' | 'dependent_count' | 'dependencies'

/** An issue without what only lists have. */
export function toBare(issue: CountedIssue): Issue {
  const { comment_count: _, dependency_count: __, dependent_count: ___, dependencies: ____, ...bare } = issue
  return bare
}

/** The related beads that exist, each with the type of its dependency. */
export function toRelated(
  relations: readonly BeadRelation[],
  issues: readonly CountedIssue[],
): (Issue & { dependency_type: string })[] {
  const byId = new Map(issues.map((issue) => [issue.id, issue]))
  return relations.flatMap(({ id, type }) => {
    const issue = byId.get(id)
    return issue ? [{ ...toBare(issue), dependency_type: type }] : []
  })
}
