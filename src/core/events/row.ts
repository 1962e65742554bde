import type { Actor } from '../actor.ts'
import { toTimestamp } from '../clock.ts'
import { By, Emitted, type EventAttributes, type RecordedEvent } from './event.ts'

/** An event as its table keeps it. */
export interface EventRow {
  seq: number
  type: string
  at: number
  actor: string
  /** Facts about the actor besides its name, as JSON. */
  by: string | null
  subject: string | null
  message: string | null
  run_id: string | null
  session_id: string | null
  step_id: string | null
  depends_on_step_ids: string | null
  payload: string
  /** 1 for an event that a caller emitted. */
  emitted: number
}

/** An event before it has a number. */
export type EventDraft = Omit<EventRow, 'seq'>

export type EventValues = [string, number, string, ...(string | number | null)[]]

/** The columns of `EventValues`. */
export const EVENT_COLUMNS = [
  'type',
  'at',
  'actor',
  'by',
  'subject',
  'message',
  'run_id',
  'session_id',
  'step_id',
  'depends_on_step_ids',
  'payload',
  'emitted',
] as const

export const INSERT = `INSERT INTO events (${EVENT_COLUMNS.join(', ')}) VALUES (${EVENT_COLUMNS.map(() => '?').join(', ')})`

/** Pages of columns, newest first, each from an index; the one by actor has the type as well, so that both need no third. */
export const pagesOf = (columns: '*' | 'seq') => {
  const page = (filter: string): string =>
    `SELECT ${columns} FROM events ${filter} seq < ? AND seq >= ? ORDER BY seq DESC LIMIT ?`
  return {
    any: page('WHERE'),
    type: page('WHERE type = ? AND'),
    actor: page('WHERE actor = ? AND'),
    both: page('INDEXED BY events_actor WHERE type = ? AND actor = ? AND'),
    subject: page('WHERE subject = ? AND'),
  }
}

/** Events by a JSON list of their numbers, in its order. */
export const OF_NUMBERS = 'SELECT e.* FROM json_each(?) j CROSS JOIN events e ON e.seq = j.value'

/** Maximum events of an actor that a page by type and actor scans. */
export const HORIZON = `SELECT seq FROM events
  WHERE actor = ? AND seq < ? AND seq >= ? ORDER BY seq DESC LIMIT 1 OFFSET ?`

/** Texts that an event may lack, in the order of lists. */
const TEXTS = ['subject', 'message', 'run_id', 'session_id', 'step_id'] as const

const optional = (column: string): string => `iif(${column} IS NULL, '', ',"${column}":' || json_quote(${column}))`

/** The line of an archive for a row: the same JSON that lists show. */
export const ARCHIVE_LINES = `SELECT '{"seq":' || seq || ',"type":' || json_quote(type)
  || ',"ts":"' || strftime('%Y-%m-%dT%H:%M:%fZ', at / 1000.0, 'unixepoch') || '","actor":' || json_quote(actor)
  || ${TEXTS.map(optional).join(' || ')}
  || iif(depends_on_step_ids IS NULL, '', ',"depends_on_step_ids":' || depends_on_step_ids)
  || ',"payload":' || payload || '}' AS line
  FROM events WHERE seq BETWEEN ? AND ? ORDER BY seq`

/** Recorded facts about the actor besides its name; none if the name says everything. */
function detailsOf({ kind, session, agent, bead, label }: Actor): string | null {
  const isNamed = session === undefined && agent === undefined && bead === undefined && label === undefined
  return isNamed ? null : JSON.stringify({ kind, session, agent, bead, label })
}

const actorColumns = (actor: Actor | string): Pick<EventRow, 'actor' | 'by'> =>
  typeof actor === 'string' ? { actor, by: null } : { actor: actor.name, by: detailsOf(actor) }

export const toDraft = (
  type: string,
  at: number,
  actor: Actor,
  facts: EventAttributes,
  payload: unknown,
  emitted: boolean,
): EventDraft => ({
  type,
  at,
  ...actorColumns(facts.actor ?? actor),
  subject: facts.subject ?? null,
  message: facts.message ?? null,
  run_id: facts.run_id ?? null,
  session_id: facts.session_id ?? null,
  step_id: facts.step_id ?? null,
  depends_on_step_ids: facts.depends_on_step_ids ? JSON.stringify(facts.depends_on_step_ids) : null,
  payload: JSON.stringify(payload ?? {}),
  emitted: emitted ? 1 : 0,
})

export const toValues = (draft: EventDraft): EventValues => [
  draft.type,
  draft.at,
  draft.actor,
  draft.by,
  draft.subject,
  draft.message,
  draft.run_id,
  draft.session_id,
  draft.step_id,
  draft.depends_on_step_ids,
  draft.payload,
  draft.emitted,
]

/** Size of an event in a list besides its texts: field names, number and time. */
const ENVELOPE_BYTES = 256

/** Maximum number of bytes an event has in a list. */
export function listedBytes(row: EventRow): number {
  const { type, actor, by, subject, message, run_id, session_id, step_id, depends_on_step_ids, payload } = row
  const texts = [type, actor, by, subject, run_id, session_id, step_id, depends_on_step_ids, payload]
  let bytes = ENVELOPE_BYTES + (message === null ? 0 : Buffer.byteLength(JSON.stringify(message)))
  for (const text of texts) if (text !== null) bytes += Buffer.byteLength(text)
  return bytes
}

/** The payload is parsed when somebody reads it: most of many events that are published together have no reader. */
export function toRecordedEvent(row: EventRow): RecordedEvent {
  let payload: unknown
  return {
    seq: row.seq,
    type: row.type,
    ts: toTimestamp(row.at),
    actor: row.actor,
    ...(row.subject !== null && { subject: row.subject }),
    ...(row.message !== null && { message: row.message }),
    ...(row.run_id !== null && { run_id: row.run_id }),
    ...(row.session_id !== null && { session_id: row.session_id }),
    ...(row.step_id !== null && { step_id: row.step_id }),
    ...(row.depends_on_step_ids !== null && { depends_on_step_ids: JSON.parse(row.depends_on_step_ids) }),
    get payload() {
      payload ??= JSON.parse(row.payload)
      return payload
    },
    ...(row.emitted === 1 && { [Emitted]: true as const }),
    ...(row.by !== null && { [By]: JSON.parse(row.by) }),
  }
}

/** An event as lists show it, as JSON. The stored text of its payload is not read again. */
export function toEventText(row: EventRow): string {
  let text = `{"seq":${row.seq},"type":${JSON.stringify(row.type)},"ts":"${toTimestamp(row.at)}","actor":${JSON.stringify(row.actor)}`
  for (const name of TEXTS) {
    const value = row[name]
    if (value !== null) text += `,"${name}":${JSON.stringify(value)}`
  }
  if (row.depends_on_step_ids !== null) text += `,"depends_on_step_ids":${row.depends_on_step_ids}`
  return `${text},"payload":${row.payload}}`
}
