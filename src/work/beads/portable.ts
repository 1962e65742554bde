import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type AppError, type FieldError, invalidField } from '../../core/errors.ts'
import { fieldErrorsOf } from '../../http/field-errors.ts'
import { COMMENT_BOUNDS } from '../comments/bounds.ts'
import type { Remark } from '../comments/comments.ts'
import type { BeadComment } from '../comments/schema.ts'
import { IMPORTED_PREFIX, WorkKey } from '../metadata.ts'
import { BOUNDS } from './bounds.ts'
import { isWorkable } from './readiness.ts'
import type { Bead, Dep } from './schema.ts'
import type { Written } from './writer.ts'

const text = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const yes = Type.Optional(Type.Boolean())
const SAFE = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }

const Commented = Type.Object({
  id: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
  author: text,
  text: Type.String(),
  created_at: text,
})
type Commented = Static<typeof Commented>

/** A line of the file: a bead in the field names that `bd export` writes. */
const Line = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 256, pattern: '^[^\\s/]+$' }),
  title: Type.String(),
  description: text,
  status: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  priority: Type.Optional(Type.Union([Type.Integer(SAFE), Type.Null()])),
  issue_type: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  assignee: text,
  sender: text,
  parent: text,
  ref: text,
  rig: text,
  created_at: Type.String(),
  updated_at: text,
  closed_at: text,
  close_reason: text,
  defer_until: text,
  labels: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
  metadata: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
  dependencies: Type.Optional(
    Type.Union([
      Type.Array(Type.Object({ depends_on_id: Type.String(), type: Type.Optional(Type.String()) })),
      Type.Null(),
    ]),
  ),
  comments: Type.Optional(Type.Union([Type.Array(Commented), Type.Null()])),
  ephemeral: yes,
  no_history: yes,
})
type Line = Static<typeof Line>

/** Fields that have no place of their own here, and are written anew. */
const COUNTED = new Set(['comment_count', 'dependency_count', 'dependent_count', 'dependents'])
const KNOWN = new Set([...Object.keys(Line.properties), ...COUNTED])

/** A bead from elsewhere, ready to be written. */
export interface Portable {
  row: Written
  edges: readonly Dep[]
  comments: readonly Remark[]
}

/** A bead as a line of the file. Nothing of it is left out, so that reading the line gives the same bead. */
export function toLine(bead: Bead, rig: string, comments: readonly BeadComment[]): string {
  const { from, needs: _, is_blocked: __, ...rest } = bead
  const reason = bead.metadata?.[WorkKey.closeReason]
  return JSON.stringify({
    ...rest,
    parent: bead.parent ?? null,
    ...(from !== undefined && { sender: from }),
    ...(rig !== '' && { rig }),
    ...(bead.status === 'closed' && { closed_at: bead.updated_at ?? bead.created_at }),
    ...(reason !== undefined && { close_reason: reason }),
    ...(comments.length > 0 && { comments }),
  })
}

/** Reads the lines of a file; refuses the first that is no bead, by its number. */
export function fromLines(
  bytes: Uint8Array,
  rigOf: (id: string, named: string | null | undefined) => string,
): Portable[] {
  const lines = new TextDecoder().decode(bytes).split('\n')
  return lines.flatMap((line, at) => (line.trim() === '' ? [] : portable(line, at + 1, rigOf)))
}

function portable(text: string, at: number, rigOf: Parameters<typeof fromLines>[1]): Portable {
  const line = parse(text, at)
  const type = line.issue_type ?? 'task'
  const labels = [...new Set(line.labels)]
  const edges = (line.dependencies ?? []).map(({ depends_on_id, type = 'blocks' }) => ({
    issue_id: line.id,
    depends_on_id,
    type,
  }))
  const created = moment(line.created_at, 'created_at', at)
  const row: Written = {
    id: line.id,
    rig: rigOf(line.id, line.rig),
    title: line.title,
    status: line.status ?? 'open',
    type,
    priority: line.priority ?? null,
    assignee: line.assignee ?? '',
    sender: line.sender ?? '',
    parent: parentOf(line, edges),
    ref: line.ref ?? '',
    description: line.description ?? '',
    labels: JSON.stringify(labels),
    metadata: JSON.stringify(metadataOf(line)),
    ephemeral: line.ephemeral ? 1 : 0,
    no_history: line.no_history ? 1 : 0,
    defer_until: line.defer_until ? moment(line.defer_until, 'defer_until', at) : null,
    created_at: created,
    updated_at: line.updated_at ? moment(line.updated_at, 'updated_at', at) : created,
    workable: isWorkable(type, labels) ? 1 : 0,
  }
  const comments = (line.comments ?? []).map((comment) => remark(comment, created, at))
  checkSize(row, labels, at)
  checkComments(comments, at)
  return { row, edges, comments }
}

/** A comment without an id of its own is known by what it says. */
function remark({ id, author, text, created_at }: Commented, created: number, at: number): Remark {
  const createdAt = created_at ? moment(created_at, 'created_at', at) : created
  const said = { author: author ?? '', createdAt, text }
  return { id: String(id ?? '') || `bd-${Bun.hash(JSON.stringify(said)).toString(16)}`, ...said }
}

/** Without a field for it, the parent is what a `parent-child` edge leads to. */
function parentOf(line: Line, edges: readonly Dep[]): string | null {
  if (line.parent !== undefined) return line.parent || null
  return edges.find(({ type }) => type === 'parent-child')?.depends_on_id ?? null
}

/** Fields that only `bd` has are kept under `bd.`. */
function metadataOf(line: Line): Record<string, string> {
  const own = Object.entries(line.metadata ?? {})
  const foreign = Object.entries(line).filter(([key, value]) => !KNOWN.has(key) && value !== null && value !== '')
  const all = [...foreign.map(([key, value]) => [`${IMPORTED_PREFIX}${key}`, value] as const), ...own]
  const metadata = Object.fromEntries(
    all.map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
  return line.close_reason && metadata[WorkKey.closeReason] === undefined
    ? { ...metadata, [WorkKey.closeReason]: line.close_reason }
    : metadata
}

function parse(text: string, at: number): Line {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw wrong(at, 'is not JSON')
  }
  if (Value.Check(Line, value)) return value
  const [fault] = fieldErrorsOf(Value.Errors(Line, value), 'it')
  throw wrong(at, `is no bead: ${fault ? inWords(fault) : 'it is wrong'}`)
}

/** `title is required`, `priority must be an integer`. */
const inWords = ({ message, location = 'it' }: FieldError): string =>
  message.endsWith(' is required') ? message : `${location.replace(/^it\./, '')} ${message}`

function moment(told: string, field: string, at: number): number {
  const when = Date.parse(told)
  if (Number.isNaN(when)) throw wrong(at, `has no moment in ${field}: ${told}`)
  return when
}

function checkSize({ title, description, metadata }: Written, labels: readonly string[], at: number): void {
  const over = (value: string, most: number) => Buffer.byteLength(value) > most
  if (over(title, BOUNDS.title)) throw wrong(at, 'has a title of more than 1 KB')
  if (over(description, BOUNDS.description)) throw wrong(at, 'has a description of more than 256 KB')
  if (over(metadata, BOUNDS.metadata)) throw wrong(at, 'has more than 64 KB of metadata and other fields')
  if (labels.length > BOUNDS.labels || labels.some((label) => over(label, BOUNDS.label)))
    throw wrong(at, 'has labels that are too many or too long')
}

function checkComments(comments: readonly Remark[], at: number): void {
  const size = ({ text }: Remark) => Buffer.byteLength(text)
  const named = (name: string) => name.length <= BOUNDS.word
  const all = comments.reduce((sum, comment) => sum + size(comment), 0)
  if (comments.length > COMMENT_BOUNDS.count || all > COMMENT_BOUNDS.all)
    throw wrong(at, 'has more than 1,000 comments or 1 MB of them')
  if (comments.some((comment) => size(comment) > COMMENT_BOUNDS.text))
    throw wrong(at, 'has a comment of more than 64 KB')
  if (comments.some(({ id, author }) => !named(id) || !named(author)))
    throw wrong(at, 'has a comment with an id or author of more than 256 characters')
}

function wrong(at: number, what: string): AppError {
  return invalidField(`body.${at - 1}`, `line ${at} ${what}`)
}
