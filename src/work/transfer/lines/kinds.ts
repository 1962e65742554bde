/** What a line of a bead's own says it is. */
const BEAD_TYPES = new Set(['issue', 'bead'])

type Fields = Readonly<Record<string, unknown>>

const has = (fields: Fields, ...names: readonly string[]): boolean => names.every((name) => fields[name] !== undefined)

/**
 * Records without a `_type` that stand beside issues in the files of `bd`: its backups have one file for each table, and
 * `.beads` has a log of interactions, the deletions and the routes of older versions.
 */
const SHAPES: Readonly<Record<string, (fields: Fields) => boolean>> = {
  dependency: (fields) => has(fields, 'issue_id', 'depends_on_id'),
  event: (fields) => has(fields, 'issue_id', 'event_type'),
  comment: (fields) => has(fields, 'issue_id', 'text'),
  label: (fields) => has(fields, 'issue_id', 'label'),
  config: (fields) => has(fields, 'key', 'value'),
  interaction: (fields) => has(fields, 'kind', 'created_at'),
  route: (fields) => has(fields, 'prefix', 'path'),
  deletion: (fields) => has(fields, 'id', 'ts', 'by'),
}

/** The kind of a line that is not a bead, such as `memory`; undefined for one that is a bead, or should be one. */
export function otherKind(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const fields: Fields = { ...value }
  const { _type: type } = fields
  if (typeof type === 'string' && type !== '') {
    if (BEAD_TYPES.has(type)) return undefined
    return /^[\w.-]{1,64}$/.test(type) ? type : 'other'
  }
  if (has(fields, 'title')) return undefined
  return Object.keys(SHAPES).find((kind) => SHAPES[kind]?.(fields))
}
