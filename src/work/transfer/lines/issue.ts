import { toTimestamp } from '../../../core/clock.ts'
import { type Bead, DEFAULT_PRIORITY, type EdgeRecord } from '../../beads/index.ts'
import type { BeadComment } from '../../comments/index.ts'
import { WorkKey } from '../../metadata.ts'
import type { BeadRecord } from '../schema.ts'
import { fromMetadata, shortTimestamp } from './fields.ts'

/** Source of a written bead. */
export interface IssueSource {
  readonly bead: Bead
  readonly rig: string
  readonly edges: readonly EdgeRecord[]
}

/** A bead as an object of `bd`, in the field names of its JSON: <https://github.com/gastownhall/beads>, `internal/types`. */
export type Issue = BeadRecord

/** Writes a bead as `bd` does; of what it has nothing is left out, so that importing the issue gives the same bead. */
export function toIssue({ bead, rig, edges }: IssueSource): Issue {
  const { id, title, from, needs: _, is_blocked: __, dependencies: ___, metadata = {}, ...own } = bead
  const { closedAt, metadata: kept } = closeOf(bead, metadata)
  const { fields, rest } = fromMetadata(bead.issue_type, kept)
  const dependencies = dependenciesOf(bead, edges)
  return {
    id,
    title,
    priority: DEFAULT_PRIORITY,
    ...own,
    ...fields,
    created_at: shortTimestamp(bead.created_at),
    updated_at: shortTimestamp(bead.updated_at ?? bead.created_at),
    ...(bead.defer_until !== undefined && { defer_until: shortTimestamp(bead.defer_until) }),
    ...(closedAt !== undefined && { closed_at: shortTimestamp(closedAt) }),
    ...(from !== undefined && { sender: from }),
    ...(rig !== '' && { rig }),
    ...(Object.keys(rest).length > 0 && { metadata: rest }),
    ...(dependencies.length > 0 && { dependencies }),
    ...(bead.parent === undefined && edges.some(({ type }) => type === 'parent-child') && { parent: null }),
  }
}

/** Formats a bead as a line of an export. */
export const formatLine = (source: IssueSource, comments: readonly BeadComment[]): string =>
  JSON.stringify({
    _type: 'issue',
    ...toIssue(source),
    ...(comments.length > 0 && { comments: comments.map(withShortTimestamp) }),
  })

const withShortTimestamp = <T extends { created_at: string }>(record: T): T => ({
  ...record,
  created_at: shortTimestamp(record.created_at),
})

/** Close time of a bead; in the metadata if it differs from the last change. Those of a wait are its own. */
function closeOf({ status, updated_at, created_at, labels = [] }: Bead, metadata: Readonly<Record<string, string>>) {
  if (status !== 'closed') return { closedAt: undefined, metadata }
  const { [WorkKey.closedAt]: given = '', ...others } = metadata
  if (labels.includes('gc:wait') || Number.isNaN(Date.parse(given)))
    return { closedAt: updated_at ?? created_at, metadata }
  return { closedAt: given, metadata: others }
}

/** With an edge for its parent, as `bd` has one: it is marked by having no time. */
function dependenciesOf({ id, parent, created_at }: Bead, edges: readonly EdgeRecord[]): Record<string, unknown>[] {
  const written = edges.map(({ fields, created_by, created_at: at, ...edge }) => ({
    ...edge,
    created_at: shortTimestamp(at === null ? created_at : toTimestamp(at)),
    ...(created_by !== '' && { created_by }),
    metadata: '{}',
    ...(fields !== '' && JSON.parse(fields)),
  }))
  const isListed = edges.some(({ type, depends_on_id }) => type === 'parent-child' && depends_on_id === parent)
  if (parent === undefined || isListed) return written
  return [...written, { issue_id: id, depends_on_id: parent, type: 'parent-child', metadata: '{}' }]
}
