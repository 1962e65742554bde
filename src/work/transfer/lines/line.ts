import { type Static, Type } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { type AppError, type FieldError, invalidField } from '../../../core/errors.ts'
import { isNestedTooDeep, MAX_JSON_DEPTH, withoutLoneSurrogates } from '../../../core/text/index.ts'
import { fieldErrorsOf } from '../../../http/field-errors.ts'
import type { Dep, ImportedBead } from '../../beads/index.ts'
import {
  BEAD_LIMITS,
  type BeadValues,
  DELETED,
  type EdgeFacts,
  edgeKey,
  isWorkable,
  marksOf,
  toStatus,
  toStored,
} from '../../beads/index.ts'
import type { CommentDraft } from '../../comments/index.ts'
import { COMMENT_LIMITS } from '../../comments/index.ts'
import { ResultKey } from '../../metadata.ts'
import type { SkippedLine } from '../schema.ts'
import { InvalidField, isKeptAsMetadata, isPlainMetadata, toMetadata } from './fields.ts'

const optionalString = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const optionalBoolean = Type.Optional(Type.Boolean())
const SAFE_INTEGER = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }

const CommentField = Type.Object({
  id: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
  author: optionalString,
  text: Type.String(),
  created_at: optionalString,
})
type CommentField = Static<typeof CommentField>

const DependencyField = Type.Object({
  depends_on_id: Type.String({ minLength: 1, maxLength: 512 }),
  type: Type.Optional(Type.String({ maxLength: 256 })),
  created_at: optionalString,
  created_by: optionalString,
})
type DependencyField = Static<typeof DependencyField>

/** A line of the file: a bead in the field names that `bd export` writes. */
const Line = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 256, pattern: '^[^\\s/]+$' }),
  title: Type.String(),
  description: optionalString,
  status: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  priority: Type.Optional(Type.Union([Type.Integer(SAFE_INTEGER), Type.Null()])),
  issue_type: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  assignee: optionalString,
  sender: optionalString,
  parent: optionalString,
  ref: optionalString,
  rig: optionalString,
  created_at: Type.String(),
  updated_at: optionalString,
  closed_at: optionalString,
  defer_until: optionalString,
  labels: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
  metadata: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
  dependencies: Type.Optional(Type.Union([Type.Array(DependencyField), Type.Null()])),
  comments: Type.Optional(Type.Union([Type.Array(CommentField), Type.Null()])),
  ephemeral: optionalBoolean,
  /** The name of `ephemeral` in older versions. */
  wisp: Type.Optional(Type.Unknown()),
  no_history: optionalBoolean,
})
type Line = Static<typeof Line>

let compiled: TypeCheck<typeof Line> | undefined

/** Check of a line; compiled on first use. */
function lineCheck(): TypeCheck<typeof Line> {
  compiled ??= TypeCompiler.Compile(Line)
  return compiled
}

/** A bead that was read from a line. */
export interface ImportedLine extends ImportedBead {
  readonly labels: string[]
  readonly metadata: Readonly<Record<string, string>>
  readonly comments: readonly CommentDraft[]
}

/** A rig of the city that imports. */
export interface RigPrefix {
  readonly name: string
  readonly prefix: string
}

export type RigOf = (id: string, named: string | null | undefined) => string

/** Finds the rig that a bead names, if the city has it; else the one whose prefix its id has. */
export const rigFinder =
  (rigs: readonly RigPrefix[]): RigOf =>
  (id, named) => {
    const rig = rigs.find(({ name }) => name === named) ?? rigs.find(({ prefix }) => id.startsWith(`${prefix}-`))
    return rig?.name ?? ''
  }

/** Context of a line. */
export interface LineContext {
  readonly rigOf: RigOf
  /** Ids of deleted beads, which the city does not have: nothing depends on them. */
  readonly deleted: ReadonlySet<string>
}

/** Reads a line: a bead, or what kind of other record it is. Throws for an invalid one, and says which line it is. */
export function readLine(json: string, lineNumber: number, context: LineContext): ImportedLine | SkippedLine {
  const value = parseJson(json, lineNumber)
  const kind = otherKind(value)
  if (kind !== undefined) return { line: lineNumber, kind }
  const line = checkLine(value, lineNumber)
  const { id } = line
  if (line.status === DELETED) return { line: lineNumber, kind: DELETED, id }
  if (line.issue_type === 'session') return { line: lineNumber, kind: 'session', id }
  if (line.labels?.includes('gc:wait')) return { line: lineNumber, kind: 'wait', id }
  return toImported(line, lineNumber, context)
}

export const isSkipped = (line: ImportedLine | SkippedLine): line is SkippedLine => 'kind' in line

/** The deleted beads of a file, whose lines may come after those that depend on them. */
export function* deletedIds(lines: Iterable<string>): Generator<string, void> {
  for (const text of lines) {
    if (!text.includes(DELETED) || isNestedTooDeep(text)) continue
    try {
      const value: unknown = JSON.parse(text)
      if (typeof value !== 'object' || value === null) continue
      const { id, status }: { id?: unknown; status?: unknown } = value
      if (status === DELETED && typeof id === 'string') yield id
    } catch {
      // An invalid line is reported where it is read.
    }
  }
}

function toImported(line: Line, lineNumber: number, { rigOf, deleted }: LineContext): ImportedLine {
  const type = line.issue_type ?? 'task'
  const labels = [...new Set(line.labels)]
  const created = parseTimestamp(line.created_at, 'created_at', lineNumber)
  const edges = (line.dependencies ?? []).filter((edge) => !deleted.has(edge.depends_on_id) && !isOfParent(edge, line))
  const dependencies = edges.map((edge) => toDep(line.id, edge, lineNumber))
  const metadata = metadataOf(line, type, lineNumber)
  const status = toStatus(line.status ?? 'open')
  const updated = updatedAt(line, created, lineNumber)
  const values: BeadValues = {
    id: line.id,
    rig: rigOf(line.id, line.rig),
    title: line.title,
    status,
    type,
    priority: line.priority ?? null,
    assignee: line.assignee ?? '',
    sender: line.sender ?? '',
    parent: parentOf(line, dependencies, lineNumber),
    ref: line.ref ?? '',
    description: line.description ?? '',
    labels: JSON.stringify(labels),
    ...toStored(metadata),
    ephemeral: line.ephemeral || line.wisp === true ? 1 : 0,
    no_history: line.no_history ? 1 : 0,
    defer_until: line.defer_until ? parseTimestamp(line.defer_until, 'defer_until', lineNumber) : null,
    closed_at: status === 'closed' ? closedAt(line, updated, lineNumber) : null,
    created_at: created,
    updated_at: updated,
    workable: isWorkable(type, labels, marksOf(metadata)) ? 1 : 0,
  }
  const comments = (line.comments ?? []).map((comment) => parseComment(comment, created, lineNumber))
  checkSize(values, labels, lineNumber)
  checkComments(comments, lineNumber)
  return { values, labels, metadata, dependencies, facts: factsOf(edges, created, lineNumber), comments }
}

/** The edge that an export adds for the parent: it has no time. */
const isOfParent = ({ depends_on_id, type, created_at }: DependencyField, { parent }: Line): boolean =>
  type === 'parent-child' && !created_at && depends_on_id === parent

function toDep(id: string, { depends_on_id, type = 'blocks' }: DependencyField, lineNumber: number): Dep {
  if (depends_on_id === id) throw invalidLine(lineNumber, `makes bead ${id} depend on itself`)
  return { issue_id: id, depends_on_id, type }
}

/** Recorded facts about the dependencies beyond their creation with the bead. */
function factsOf(
  edges: readonly DependencyField[],
  created: number,
  lineNumber: number,
): ReadonlyMap<string, EdgeFacts> | undefined {
  let facts: Map<string, EdgeFacts> | undefined
  for (const { depends_on_id, type = 'blocks', created_at, created_by, ...others } of edges) {
    const at = created_at ? parseTimestamp(created_at, 'created_at', lineNumber) : created
    const fields = edgeFields(others)
    if (at === created && !created_by && fields === '') continue
    facts ??= new Map()
    facts.set(edgeKey({ depends_on_id, type }), {
      created_at: at === created ? null : at,
      created_by: created_by ?? '',
      fields,
    })
  }
  return facts
}

/** The other fields of a dependency; metadata of `{}` are none. */
function edgeFields(others: Readonly<Record<string, unknown>>): string {
  const kept = Object.entries(others).filter(
    ([key, value]) => key !== 'issue_id' && value !== null && !(key === 'metadata' && (value === '{}' || value === '')),
  )
  return kept.length === 0 ? '' : JSON.stringify(Object.fromEntries(kept))
}

function closedAt({ closed_at }: Line, updated: number, lineNumber: number): number | null {
  if (!closed_at) return null
  const closed = parseTimestamp(closed_at, 'closed_at', lineNumber)
  return closed === updated ? null : closed
}

/** A comment without an id is identified by its content. */
function parseComment({ id, author, text, created_at }: CommentField, created: number, lineNumber: number) {
  const createdAt = created_at ? parseTimestamp(created_at, 'created_at', lineNumber) : created
  const content = { author: author ?? '', createdAt, text }
  return { id: String(id ?? '') || `bd-${Bun.hash(JSON.stringify(content)).toString(16)}`, ...content }
}

/** Without a field of its own, the parent is the target of a `parent-child` dependency. */
function parentOf(line: Line, dependencies: readonly Dep[], lineNumber: number): string | null {
  if (line.parent === line.id) throw invalidLine(lineNumber, `makes bead ${line.id} its own parent`)
  if (line.parent !== undefined) return line.parent || null
  return dependencies.find(({ type }) => type === 'parent-child')?.depends_on_id ?? null
}

function updatedAt({ created_at, updated_at }: Line, created: number, lineNumber: number): number {
  return !updated_at || updated_at === created_at ? created : parseTimestamp(updated_at, 'updated_at', lineNumber)
}

/** Fields without a place of their own are metadata. */
function metadataOf(line: Line, type: string, lineNumber: number): Readonly<Record<string, string>> {
  const given = line.metadata ?? {}
  const fields = Object.keys(line).filter(isKeptAsMetadata)
  if (fields.length === 0 && isPlainMetadata(given)) return given
  try {
    return toMetadata(type, Object.fromEntries(Object.entries(line).filter(([key]) => isKeptAsMetadata(key))), given)
  } catch (error) {
    if (error instanceof InvalidField) throw invalidLine(lineNumber, `is not a bead: ${error.message}`)
    throw error
  }
}

function parseJson(json: string, lineNumber: number): unknown {
  if (isNestedTooDeep(json)) throw invalidLine(lineNumber, `is nested more than ${MAX_JSON_DEPTH} levels deep`)
  try {
    return JSON.parse(withoutLoneSurrogates(json))
  } catch {
    throw invalidLine(lineNumber, 'is not JSON')
  }
}

function checkLine(value: unknown, lineNumber: number): Line {
  const check = lineCheck()
  if (check.Check(value)) return value
  const [error] = fieldErrorsOf(check.Errors(value), 'it')
  throw invalidLine(lineNumber, `is not a bead: ${error ? describeFieldError(error) : 'it is invalid'}`)
}

/** `title is required`, `priority must be an integer`. */
const describeFieldError = ({ message, location = 'it' }: FieldError): string =>
  message.endsWith(' is required') ? message : `${location.replace(/^it\./, '')} ${message}`

/** Types that a line may have for a bead of its own. */
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
function otherKind(value: unknown): string | undefined {
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

/** Throws for what is not a date; offsets and fractions of a second count. */
function parseTimestamp(value: string, field: string, lineNumber: number): number {
  const timestamp = Date.parse(value)
  if (Number.isNaN(timestamp)) throw invalidLine(lineNumber, `has an invalid timestamp in ${field}: ${value}`)
  return timestamp
}

/** Throws for a bead that holds more than a bead may. */
function checkSize(values: BeadValues, labels: readonly string[], lineNumber: number): void {
  const { title, description, metadata, output } = values
  const exceeds = (value: string, max: number) => Buffer.byteLength(value) > max
  if (exceeds(title, BEAD_LIMITS.title)) throw invalidLine(lineNumber, 'has a title of more than 1 KB')
  if (exceeds(description, BEAD_LIMITS.description)) {
    throw invalidLine(lineNumber, 'has a description of more than 256 KB')
  }
  if (exceeds(metadata, BEAD_LIMITS.metadata)) {
    throw invalidLine(lineNumber, 'has more than 64 KB of metadata and other fields')
  }
  if (output !== null && exceeds(output, BEAD_LIMITS.output)) {
    throw invalidLine(lineNumber, `has more than 1 MB in ${ResultKey.outputJson}`)
  }
  if (labels.length > BEAD_LIMITS.labels || labels.some((label) => exceeds(label, BEAD_LIMITS.label))) {
    throw invalidLine(lineNumber, 'has labels that are too many or too long')
  }
}

/** Throws for comments that are more or longer than a bead may have. */
function checkComments(comments: readonly CommentDraft[], lineNumber: number): void {
  const sizeOf = ({ text }: CommentDraft) => Buffer.byteLength(text)
  const isTooLong = (name: string) => name.length > BEAD_LIMITS.word
  const total = comments.reduce((sum, comment) => sum + sizeOf(comment), 0)
  if (comments.length > COMMENT_LIMITS.count || total > COMMENT_LIMITS.all) {
    throw invalidLine(lineNumber, 'has more than 1,000 comments or 1 MB of them')
  }
  if (comments.some((comment) => sizeOf(comment) > COMMENT_LIMITS.text)) {
    throw invalidLine(lineNumber, 'has a comment of more than 64 KB')
  }
  if (comments.some(({ id, author }) => isTooLong(id) || isTooLong(author))) {
    throw invalidLine(lineNumber, 'has a comment with an id or author of more than 256 characters')
  }
}

/** The error of an invalid line. */
const invalidLine = (lineNumber: number, message: string): AppError =>
  invalidField(`body.${lineNumber - 1}`, `line ${lineNumber} ${message}`)
