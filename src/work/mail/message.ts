import { toTimestamp } from '../../core/clock.ts'
import { invalidField } from '../../core/errors.ts'
import { BEAD_LIMITS } from '../beads/index.ts'
import { MailKey } from '../metadata.ts'
import type { Message } from '../schema.ts'

/** A message and its bead as they are stored. */
export interface StoredMessage {
  id: string
  sender: string
  title: string
  description: string
  labels: string
  created_at: number
  thread: string
  reply_to: string | null
  from_session: string | null
  from_claimed: string | null
  to_session: string | null
  to_display: string
  recipient: string
  /** The run of a session that was notified of it. */
  incarnation: string | null
  read: number
  open: number
}

/** The columns of a `StoredMessage`, of messages `m` and beads `b`. */
export const MESSAGE_COLUMNS = `m.id, b.sender, b.title, b.description, b.labels, m.created_at, m.thread, m.reply_to,
  m.from_session, m.from_claimed, m.to_session, m.to_display, m.recipient, m.told AS incarnation, m.read, m.open`

/** `rig` is a label that the caller chose. */
export function toMessage(row: StoredMessage, rig: string | undefined): Message {
  return {
    id: row.id,
    from: row.sender,
    to: row.to_display,
    subject: row.title,
    body: row.description,
    created_at: toTimestamp(row.created_at),
    read: row.read === 1,
    thread_id: row.thread,
    ...(row.reply_to !== null && { reply_to: row.reply_to }),
    ...parseLabels(JSON.parse(row.labels)),
    ...(rig && { rig }),
  }
}

function parseLabels(labels: readonly string[]): Pick<Message, 'priority' | 'cc'> {
  const valuesOf = (prefix: string) =>
    labels.flatMap((label) => (label.startsWith(prefix) ? label.slice(prefix.length) : []))
  const priority = valuesOf('priority:').map(Number).find(Number.isInteger)
  const cc = valuesOf('cc:')
  return { ...(priority !== undefined && { priority }), ...(cc.length > 0 && { cc }) }
}

/** The columns of a message that its bead shows as metadata. */
export function messageMetadata(row: StoredMessage): Record<string, string> {
  return {
    [MailKey.fromDisplay]: row.sender,
    [MailKey.toDisplay]: row.to_display,
    [MailKey.read]: String(row.read === 1),
    ...(row.from_session !== null && { [MailKey.fromSessionId]: row.from_session }),
    ...(row.to_session !== null && { [MailKey.toSessionId]: row.to_session }),
    ...(row.from_claimed !== null && { [MailKey.fromClaimed]: row.from_claimed }),
  }
}

const MAX_DERIVED_SUBJECT = 80

/** The subject of a reply: the one given, else `Re:` and the original one, else the first line of the body. */
export function replySubject(subject: string | undefined, original: string, body: string): string {
  if (subject?.trim()) return subject
  if (original.trim()) return /^re:/i.test(original.trim()) ? original : cutToTitle(`Re: ${original}`)
  const [firstLine = ''] = body.trim().split('\n')
  return [...firstLine.trim()].slice(0, MAX_DERIVED_SUBJECT).join('') || '(reply)'
}

/** Cuts a subject that only the added `Re:` made too long. */
function cutToTitle(subject: string): string {
  let cut = subject
  while (Buffer.byteLength(cut) > BEAD_LIMITS.title) cut = [...cut].slice(0, -8).join('')
  return cut
}

/** Throws `validation-failed` for a message that is too long or has no subject, by the field names of mail. */
export function validateMessage(subject: string, body: string): void {
  checkLength('subject', subject, BEAD_LIMITS.title, '1 KB')
  checkLength('body', body, BEAD_LIMITS.description, '256 KB')
  if (subject.trim() === '') throw invalidBody('subject', 'must not be empty')
}

function checkLength(field: string, value: string, max: number, maxText: string): void {
  if (Buffer.byteLength(value) > max) throw invalidBody(field, `is too long: at most ${maxText}`)
}

const invalidBody = (field: string, message: string) => invalidField(`body.${field}`, `${field} ${message}`)
