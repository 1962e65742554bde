import { toTimestamp } from '../../../core/clock.ts'
import { IMPORTED_PREFIX, ResultKey, WorkKey } from '../../metadata.ts'

/** Reads a field of a line as the text that the metadata keeps, and back; undefined for a value of another kind. */
interface Kind {
  /** Such as "a string": what an invalid value should be. */
  readonly name: string
  encode(value: unknown): string | undefined
  decode(text: string): unknown
}

const STRING: Kind = {
  name: 'a string',
  encode: (value) => (typeof value === 'string' ? value : undefined),
  decode: (text) => text,
}
const INTEGER: Kind = {
  name: 'an integer',
  encode: (value) => (Number.isSafeInteger(value) ? String(value) : undefined),
  decode: (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : undefined),
}
const BOOLEAN: Kind = {
  name: 'true or false',
  encode: (value) => (typeof value === 'boolean' ? String(value) : undefined),
  decode: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
}
const TIMESTAMP: Kind = {
  name: 'a timestamp',
  encode: normalTimestamp,
  decode: (text) => {
    const timestamp = normalTimestamp(text)
    return timestamp === undefined ? undefined : shortTimestamp(timestamp)
  },
}
/** Nanoseconds in a file, milliseconds in the metadata of a gate. */
const DURATION: Kind = {
  name: 'a number of nanoseconds',
  encode: (value) => (typeof value === 'number' && Number.isSafeInteger(value) ? String(value / 1e6) : undefined),
  decode: (text) => (/^\d{1,12}(\.\d{1,6})?$/.test(text) ? Math.round(Number(text) * 1e6) : undefined),
}

/** Fields of `bd` that are metadata of a bead under the same name. Those of its JSON without a line here are kept as unknown ones. */
const FIELDS: Readonly<Record<string, Kind>> = {
  ...{ design: STRING, acceptance_criteria: STRING, notes: STRING, spec_id: STRING, external_ref: STRING },
  ...{ owner: STRING, created_by: STRING, closed_by_session: STRING, source_system: STRING },
  ...{ mol_type: STRING, wisp_type: STRING, work_type: STRING, source_formula: STRING, source_location: STRING },
  ...{ started_at: TIMESTAMP, due_at: TIMESTAMP, estimated_minutes: INTEGER, pinned: BOOLEAN, is_template: BOOLEAN },
  [WorkKey.closeReason]: STRING,
}
/** Those that only gates have. */
const GATE_FIELDS: Readonly<Record<string, Kind>> = { await_type: STRING, await_id: STRING, timeout: DURATION }

/** Fields with a place of their own: columns, edges, comments, and what is counted again. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  ...['_type', 'id', 'title', 'description', 'status', 'priority', 'issue_type', 'assignee', 'sender', 'parent', 'ref'],
  ...['rig', 'created_at', 'updated_at', 'closed_at', 'defer_until', 'labels', 'metadata', 'dependencies', 'comments'],
  ...['ephemeral', 'wisp', 'no_history', 'comment_count', 'dependency_count', 'dependent_count', 'dependents'],
])

/** Metadata that could not be kept as it was: values other than strings, and keys that stand for fields. */
const AS_GIVEN = `${IMPORTED_PREFIX}metadata`

/** Keys that the metadata of a line may have, and that have another meaning in those of a bead. */
const RESERVED: ReadonlySet<string> = new Set([AS_GIVEN, WorkKey.closedAt])

const byKey = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1)

/** True if metadata of a line are those of its bead, as they are. */
export const isPlainMetadata = (metadata: Record<string, unknown>): metadata is Record<string, string> =>
  Object.entries(metadata).every(
    ([key, value]) => typeof value === 'string' && !key.startsWith(IMPORTED_PREFIX) && key !== WorkKey.closedAt,
  )

/** A timestamp as `bd` writes it: without zeros at the end of its fraction. */
export const shortTimestamp = (timestamp: string): string =>
  timestamp.replace(/\.0+Z$/, 'Z').replace(/(\.\d+?)0+Z$/, '$1Z')

/** True if a field of a line is kept in the metadata. */
export const isKeptAsMetadata = (field: string): boolean => !OWN_FIELDS.has(field)

/** A field whose value is of another kind than `bd` has there. */
export class InvalidField extends Error {}

type Values = Readonly<Record<string, unknown>>

/** The metadata of a bead, from the fields of its line that have no place of their own and from the line's metadata. */
export function toMetadata(type: string, fields: Values, given: Values): Record<string, string> {
  const kept = new Map<string, string>()
  for (const [field, value] of Object.entries(fields)) {
    const kind = kindOf(field, type)
    if (!kind) kept.set(`${IMPORTED_PREFIX}${field}`, encodeJson(value))
    else if (value !== null) kept.set(field, encode(kind, field, value))
  }
  const asGiven: [string, unknown][] = []
  const entries = Object.entries(given).map(([key, value]): [string, unknown] => [placeOf(key, type), value])
  const stored: [string, string][] = []
  for (const [key, value] of entries) {
    if (RESERVED.has(key) || kept.has(key)) {
      if (value !== kept.get(key)) asGiven.push([key, value])
      continue
    }
    if (typeof value !== 'string' && key !== ResultKey.outputJson) asGiven.push([key, value])
    stored.push([key, typeof value === 'string' ? value : JSON.stringify(value)])
  }
  if (asGiven.length > 0) kept.set(AS_GIVEN, JSON.stringify(Object.fromEntries(asGiven.sort(byKey))))
  return Object.fromEntries([...kept, ...stored])
}

/** The fields of `bd` that metadata stand for, and the metadata without them. */
export function fromMetadata(
  type: string,
  metadata: Readonly<Record<string, string>>,
): { fields: Values; rest: Values } {
  const asGiven = parseObject(metadata[AS_GIVEN])
  const fields: [string, unknown][] = []
  const rest: [string, unknown][] = []
  for (const [key, text] of Object.entries(metadata)) {
    if (key === AS_GIVEN && asGiven) continue
    const field = fieldOf(key, type, text)
    if (field) fields.push(field)
    else {
      const given = asGiven && Object.hasOwn(asGiven, key) ? asGiven[key] : undefined
      rest.push([key, typeof given !== 'string' && JSON.stringify(given) === text ? given : text])
    }
  }
  const names = new Set(rest.map(([key]) => key))
  const shadowed = Object.entries(asGiven ?? {}).filter(
    ([key]) => !names.has(key) && (RESERVED.has(key) || Object.hasOwn(metadata, key)),
  )
  return { fields: Object.fromEntries(fields), rest: Object.fromEntries([...rest, ...shadowed]) }
}

/** The field that an entry of the metadata stands for; undefined for one that is only metadata. */
function fieldOf(key: string, type: string, text: string): [string, unknown] | undefined {
  const kind = kindOf(key, type)
  if (kind) {
    const value = kind.decode(text)
    return value === undefined ? undefined : [key, value]
  }
  const name = unknownField(key, type)
  return name === undefined ? undefined : [name, decodeJson(text)]
}

const kindOf = (field: string, type: string): Kind | undefined => {
  if (Object.hasOwn(FIELDS, field)) return FIELDS[field]
  return type === 'gate' && Object.hasOwn(GATE_FIELDS, field) ? GATE_FIELDS[field] : undefined
}

/** The field without a kind that a key of the metadata keeps. */
function unknownField(key: string, type: string): string | undefined {
  if (!key.startsWith(IMPORTED_PREFIX)) return undefined
  const field = key.slice(IMPORTED_PREFIX.length)
  return isKeptAsMetadata(field) && !kindOf(field, type) ? field : undefined
}

/** Files of earlier versions have `bd.design` in the metadata: the alias of a field that has a kind. */
function placeOf(key: string, type: string): string {
  const field = key.startsWith(IMPORTED_PREFIX) ? key.slice(IMPORTED_PREFIX.length) : ''
  return kindOf(field, type) ? field : key
}

function encode(kind: Kind, field: string, value: unknown): string {
  const text = kind.encode(value)
  if (text === undefined) throw new InvalidField(`${field} must be ${kind.name}`)
  return text
}

function normalTimestamp(value: unknown): string | undefined {
  const timestamp = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(timestamp) ? undefined : toTimestamp(timestamp)
}

/** A text that is not JSON stands for itself; any other value, and a text that is JSON, is written as JSON. */
const encodeJson = (value: unknown): string =>
  typeof value === 'string' && decodeJson(value) === value ? value : JSON.stringify(value)

function decodeJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function parseObject(text: string | undefined): Values | undefined {
  const value = text === undefined ? undefined : decodeJson(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
}
