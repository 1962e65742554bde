import { toTimestamp } from '../../core/clock.ts'
import { invalidField } from '../../core/errors.ts'
import { BOUNDS } from '../beads/bounds.ts'
import { MailKey } from '../metadata.ts'
import type { Message } from './schema.ts'

/** A message and its bead as they are stored. */
export interface LetterRow {
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
  told: string | null
  read: number
  open: number
}

export const LETTER = `m.id, b.sender, b.title, b.description, b.labels, m.created_at, m.thread, m.reply_to, m.from_session,
  m.from_claimed, m.to_session, m.to_display, m.recipient, m.told, m.read, m.open`

/** The wire's message; `rig` is a label. */
export function toMessage(row: LetterRow, rig: string | undefined): Message {
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
    ...labelled(JSON.parse(row.labels)),
    ...(rig && { rig }),
  }
}

function labelled(labels: readonly string[]): Pick<Message, 'priority' | 'cc'> {
  const after = (prefix: string) =>
    labels.flatMap((label) => (label.startsWith(prefix) ? label.slice(prefix.length) : []))
  const priority = after('priority:').map(Number).find(Number.isInteger)
  const cc = after('cc:')
  return { ...(priority !== undefined && { priority }), ...(cc.length > 0 && { cc }) }
}

/** What of a message its bead shows as metadata, under the keys that existing clients read. */
export function metadataOf(row: LetterRow): Record<string, string> {
  return {
    [MailKey.fromDisplay]: row.sender,
    [MailKey.toDisplay]: row.to_display,
    [MailKey.read]: String(row.read === 1),
    ...(row.from_session !== null && { [MailKey.fromSessionId]: row.from_session }),
    ...(row.to_session !== null && { [MailKey.toSessionId]: row.to_session }),
    ...(row.from_claimed !== null && { [MailKey.fromClaimed]: row.from_claimed }),
  }
}

const SUBJECT_CUT = 80

/** The subject of an answer: as given, else `Re:` the one it answers, else the first line of what it says. */
export function subjectOf(given: string | undefined, answered: string, body: string): string {
  if (given?.trim()) return given
  if (answered.trim()) return /^re:/i.test(answered.trim()) ? answered : withinTitle(`Re: ${answered}`)
  const [first = ''] = body.trim().split('\n')
  return [...first.trim()].slice(0, SUBJECT_CUT).join('') || '(reply)'
}

/** Cuts a subject that only our own `Re:` made too long. */
function withinTitle(subject: string): string {
  let cut = subject
  while (Buffer.byteLength(cut) > BOUNDS.title) cut = [...cut].slice(0, -8).join('')
  return cut
}

/** Refuses a letter that is too long, by the names its sender knows. */
export function checkLetter(subject: string, body: string): void {
  limit('subject', subject, BOUNDS.title, '1 KB')
  limit('body', body, BOUNDS.description, '256 KB')
  if (subject.trim() === '') refuse('subject', 'must not be empty')
}

function limit(field: string, text: string, most: number, said: string): void {
  if (Buffer.byteLength(text) > most) refuse(field, `is too long: at most ${said}`)
}

function refuse(field: string, fault: string): never {
  throw invalidField(`body.${field}`, `${field} ${fault}`)
}
