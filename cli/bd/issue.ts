import type { Bead, BeadDependencies, BeadRelation, Dep } from '../../src/work/beads/schema.ts'
import type { BeadComment } from '../../src/work/comments/schema.ts'

/** The priority of a bead that has none. */
const DEFAULT_PRIORITY = 2

/** A bead with the field names that `bd` prints. */
export interface Issue {
  id: string
  title: string
  status: string
  priority: number
  issue_type: string
  created_at: string
  updated_at: string
  description?: string
  assignee?: string
  labels?: string[]
  metadata?: Record<string, string>
  parent?: string
  defer_until?: string
  closed_at?: string
  close_reason?: string
  notes?: string
  design?: string
  acceptance_criteria?: string
  external_ref?: string
  ephemeral?: boolean
}

/** Options for fields of `bd` that a bead keeps as metadata. */
export interface FieldOptions {
  notes?: string
  design?: string
  acceptance?: string
  externalRef?: string
}

/** The metadata of the options that are given. */
export function fieldsOf({ notes, design, acceptance, externalRef }: FieldOptions): Record<string, string> {
  const pairs = Object.entries({ notes, design, acceptance_criteria: acceptance, external_ref: externalRef })
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined))
}

export interface CountedIssue extends Issue {
  comment_count: number
  dependency_count: number
  dependent_count: number
  dependencies?: unknown[]
  dependents?: unknown[]
  comments?: readonly BeadComment[]
}

/** A bead as `bd create` and `bd dep list` print it. */
export function toIssue(bead: Bead): Issue {
  const { close_reason: reason, notes, design, acceptance_criteria, external_ref, ...metadata } = bead.metadata ?? {}
  const updated = bead.updated_at ?? bead.created_at
  return {
    id: bead.id,
    title: bead.title,
    status: bead.status,
    priority: bead.priority ?? DEFAULT_PRIORITY,
    issue_type: bead.issue_type,
    created_at: bead.created_at,
    updated_at: updated,
    ...(bead.description && { description: bead.description }),
    ...(bead.assignee && { assignee: bead.assignee }),
    ...(bead.labels?.length && { labels: bead.labels }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(bead.parent && { parent: bead.parent }),
    ...(bead.defer_until && { defer_until: bead.defer_until }),
    ...(bead.status === 'closed' && { closed_at: updated }),
    ...(reason && { close_reason: reason }),
    ...(notes && { notes }),
    ...(design && { design }),
    ...(acceptance_criteria && { acceptance_criteria }),
    ...(external_ref && { external_ref }),
    ...(bead.ephemeral && { ephemeral: true }),
  }
}

/** The number of dependents of each bead. */
export function countDependents(beads: readonly Bead[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { dependencies } of beads) {
    for (const { depends_on_id: id } of dependencies ?? []) counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return counts
}

/** A bead as lists print it: with its dependencies and their counts. */
export function toListed(bead: Bead, dependentCount: number, commentCount: number): CountedIssue {
  const edges = bead.dependencies ?? []
  return {
    ...toCounted(bead, dependentCount, commentCount),
    ...(edges.length > 0 && { dependencies: edges.map((edge) => toEdge(edge, bead)) }),
  }
}

/** A bead as `bd show` prints it: with its dependencies, its dependents and its comments. */
export function toShown(
  bead: Bead,
  { depends_on, dependents: others }: BeadDependencies,
  comments: readonly BeadComment[],
): CountedIssue {
  const [on, of] = [toRelated(depends_on), toRelated(others)]
  return {
    ...toCounted(bead, others.length, comments.length),
    ...(on.length > 0 && { dependencies: on }),
    ...(of.length > 0 && { dependents: of }),
    ...(comments.length > 0 && { comments }),
  }
}

/** The related beads that exist, each with the type of its dependency. */
export const toRelated = (relations: readonly BeadRelation[]): (Issue & { dependency_type: string })[] =>
  relations.flatMap(({ bead, type }) => (bead ? [{ ...toIssue(bead), dependency_type: type }] : []))

const toCounted = (bead: Bead, dependentCount: number, commentCount: number): CountedIssue => ({
  ...toIssue(bead),
  comment_count: commentCount,
  dependency_count: bead.dependencies?.length ?? 0,
  dependent_count: dependentCount,
})

const toEdge = ({ issue_id, depends_on_id, type }: Dep, bead: Bead) => ({
  issue_id,
  depends_on_id,
  type,
  created_at: bead.created_at,
  metadata: '{}',
})
