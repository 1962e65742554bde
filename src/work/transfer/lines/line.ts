import { type Static, Type } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { type AppError, type FieldError, invalidField } from '../../../core/errors.ts'
import { isNestedTooDeep, MAX_JSON_DEPTH } from '../../../core/json-depth.ts'
import { withoutLoneSurrogates } from '../../../core/json-surrogates.ts'
import { fieldErrorsOf } from '../../../http/field-errors.ts'
import { BEAD_LIMITS } from '../../beads/limits.ts'
import { toStored } from '../../beads/outputs.ts'
import { isWorkable } from '../../beads/readiness.ts'
import type { ImportedBead } from '../../beads/restorer.ts'
import type { BeadValues } from '../../beads/row.ts'
import type { Bead, Dep } from '../../beads/schema.ts'
import { marksOf } from '../../beads/values.ts'
import type { CommentDraft } from '../../comments/comments.ts'
import { COMMENT_LIMITS } from '../../comments/limits.ts'
import type { BeadComment } from '../../comments/schema.ts'
import { IMPORTED_PREFIX, ResultKey, WorkKey } from '../../metadata.ts'

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
  close_reason: optionalString,
  defer_until: optionalString,
  labels: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
  metadata: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
  dependencies: Type.Optional(
    Type.Union([
      Type.Array(Type.Object({ depends_on_id: Type.String(), type: Type.Optional(Type.String()) })),
      Type.Null(),
    ]),
  ),
  comments: Type.Optional(Type.Union([Type.Array(CommentField), Type.Null()])),
  ephemeral: optionalBoolean,
  no_history: optionalBoolean,
})
type Line = Static<typeof Line>

let compiled: TypeCheck<typeof Line> | undefined

/** What checks a line; compiled for the first. */
function lineCheck(): TypeCheck<typeof Line> {
  compiled ??= TypeCompiler.Compile(Line)
  return compiled
}

/** Fields that are counted anew. */
const DERIVED_FIELDS = ['comment_count', 'dependency_count', 'dependent_count', 'dependents']
const KNOWN_FIELDS = new Set([...Object.keys(Line.properties), ...DERIVED_FIELDS])

/** A bead that was read from a line. */
export interface ImportedLine extends ImportedBead {
  readonly labels: string[]
  readonly metadata: Readonly<Record<string, string>>
  readonly comments: readonly CommentDraft[]
}

/** Formats a bead as a line. Nothing of it is left out, so that parsing the line gives the same bead. */
export function formatLine(bead: Bead, rig: string, comments: readonly BeadComment[]): string {
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

/** Whether a bead stands for something that runs here, and means nothing in another city. */
export const isLocal = ({ values: { type }, labels }: ImportedLine): boolean =>
  type === 'session' || labels.includes('gc:wait')

/** Parses the lines of a file; throws for the first that is no bead, and says which line it is. */
export function parseLines(bytes: Uint8Array, rigOf: RigOf): ImportedLine[] {
  const lines = new TextDecoder().decode(bytes).split('\n')
  return lines.flatMap((line, index) => (line.trim() === '' ? [] : parseBead(line, index + 1, rigOf)))
}

/** Parses one line; throws when it is no bead, and says which line it is. */
export function parseBead(json: string, lineNumber: number, rigOf: RigOf): ImportedLine {
  const line = parseLine(json, lineNumber)
  const type = line.issue_type ?? 'task'
  const labels = [...new Set(line.labels)]
  const dependencies = (line.dependencies ?? []).map(({ depends_on_id, type = 'blocks' }) => ({
    issue_id: line.id,
    depends_on_id,
    type,
  }))
  const created = parseTimestamp(line.created_at, 'created_at', lineNumber)
  const metadata = metadataOf(line)
  const values: BeadValues = {
    id: line.id,
    rig: rigOf(line.id, line.rig),
    title: line.title,
    status: line.status ?? 'open',
    type,
    priority: line.priority ?? null,
    assignee: line.assignee ?? '',
    sender: line.sender ?? '',
    parent: parentOf(line, dependencies),
    ref: line.ref ?? '',
    description: line.description ?? '',
    labels: JSON.stringify(labels),
    ...toStored(metadata),
    ephemeral: line.ephemeral ? 1 : 0,
    no_history: line.no_history ? 1 : 0,
    defer_until: line.defer_until ? parseTimestamp(line.defer_until, 'defer_until', lineNumber) : null,
    created_at: created,
    updated_at: updatedAt(line, created, lineNumber),
    workable: isWorkable(type, labels, marksOf(metadata)) ? 1 : 0,
  }
  const comments = (line.comments ?? []).map((comment) => parseComment(comment, created, lineNumber))
  checkSize(values, labels, lineNumber)
  checkComments(comments, lineNumber)
  return { values, labels, metadata, dependencies, comments }
}

/** A comment without an id is identified by its content. */
function parseComment({ id, author, text, created_at }: CommentField, created: number, lineNumber: number) {
  const createdAt = created_at ? parseTimestamp(created_at, 'created_at', lineNumber) : created
  const content = { author: author ?? '', createdAt, text }
  return { id: String(id ?? '') || `bd-${Bun.hash(JSON.stringify(content)).toString(16)}`, ...content }
}

/** Without a field of its own, the parent is the target of a `parent-child` dependency. */
function parentOf(line: Line, dependencies: readonly Dep[]): string | null {
  if (line.parent !== undefined) return line.parent || null
  return dependencies.find(({ type }) => type === 'parent-child')?.depends_on_id ?? null
}

function updatedAt({ created_at, updated_at }: Line, created: number, lineNumber: number): number {
  return !updated_at || updated_at === created_at ? created : parseTimestamp(updated_at, 'updated_at', lineNumber)
}

/** Fields that only `bd` has are kept as metadata under `bd.`. */
function metadataOf(line: Line): Readonly<Record<string, string>> {
  const own = line.metadata ?? {}
  const hasUnknown = Object.keys(line).some((key) => !KNOWN_FIELDS.has(key))
  if (!hasUnknown && !line.close_reason && isAllText(own)) return own
  const unknown = Object.entries(line).filter(
    ([key, value]) => !KNOWN_FIELDS.has(key) && value !== null && value !== '',
  )
  const all = [...unknown.map(([key, value]) => [`${IMPORTED_PREFIX}${key}`, value] as const), ...Object.entries(own)]
  const metadata = Object.fromEntries(
    all.map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
  return line.close_reason && metadata[WorkKey.closeReason] === undefined
    ? { ...metadata, [WorkKey.closeReason]: line.close_reason }
    : metadata
}

const isAllText = (metadata: Record<string, unknown>): metadata is Record<string, string> =>
  Object.values(metadata).every((value) => typeof value === 'string')

function parseLine(json: string, lineNumber: number): Line {
  if (isNestedTooDeep(json)) throw invalidLine(lineNumber, `is nested more than ${MAX_JSON_DEPTH} levels deep`)
  let value: unknown
  try {
    value = JSON.parse(withoutLoneSurrogates(json))
  } catch {
    throw invalidLine(lineNumber, 'is not JSON')
  }
  const check = lineCheck()
  if (check.Check(value)) return value
  const [error] = fieldErrorsOf(check.Errors(value), 'it')
  throw invalidLine(lineNumber, `is not a bead: ${error ? describeFieldError(error) : 'it is invalid'}`)
}

/** `title is required`, `priority must be an integer`. */
const describeFieldError = ({ message, location = 'it' }: FieldError): string =>
  message.endsWith(' is required') ? message : `${location.replace(/^it\./, '')} ${message}`

function parseTimestamp(value: string, field: string, lineNumber: number): number {
  const timestamp = Date.parse(value)
  if (Number.isNaN(timestamp)) throw invalidLine(lineNumber, `has an invalid timestamp in ${field}: ${value}`)
  return timestamp
}

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

const invalidLine = (lineNumber: number, message: string): AppError =>
  invalidField(`body.${lineNumber - 1}`, `line ${lineNumber} ${message}`)
