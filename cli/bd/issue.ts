import type { BeadRelation } from '../../src/work/beads/index.ts'
import type { BeadRecord } from '../../src/work/transfer/index.ts'

/** A bead as lists of `bd` print it: with its dependencies and counts. */
export type CountedIssue = BeadRecord

/** A bead as `bd create` and `bd dep list` print it. */
export type Issue = Omit<BeadRecord, Counts>
type Counts = 'comment_count' | 'dependency_count' | 'dependent_count' | 'dependencies'

/** Options for fields of `bd` that a bead keeps as metadata. */
export interface FieldOptions {
  notes?: string
  design?: string
  acceptance?: string
  externalRef?: string
  specId?: string
  estimate?: number
  due?: string
}

/** The metadata of the options that are given. */
export function fieldsOf(options: FieldOptions): Record<string, string> {
  const { notes, design, acceptance, externalRef, specId, estimate, due } = options
  const pairs = Object.entries({
    ...{ notes, design, acceptance_criteria: acceptance, external_ref: externalRef, spec_id: specId, due_at: due },
    estimated_minutes: estimate?.toString(),
  })
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined))
}

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
