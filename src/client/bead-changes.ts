import type { EventActor } from '../city/events/index.ts'
import { isRecord } from './json.ts'
import type { CityEvent, Output } from './operations.ts'

type History = Pick<Output<'GET ~/bead/{id}/history'>, 'items' | 'actors'>

/** Change of a bead in an event, with its actor. */
export interface BeadChange {
  readonly event: CityEvent
  /** `status open → in_progress, assignee none → ann`. */
  readonly what: string
  /** `worker-mi-12 (agent worker, on mi-7)`. */
  readonly who: string
}

/** The history of a bead in words, in the order in which it came: newest first. */
export const beadChanges = ({ items, actors }: History): BeadChange[] =>
  items.map((event, at) => {
    const before = items.slice(at + 1).find((each) => beadOf(each) !== undefined)
    const what = [...changesSince(before && beadOf(before), event), event.message ?? ''].filter(Boolean).join(', ')
    return { event, what, who: formatActor(event, actors[String(event.seq)]) }
  })

/** The bead that an event is about, as it was then. */
export function beadOf({ payload }: CityEvent): Record<string, unknown> | undefined {
  return isRecord(payload) && isRecord(payload.bead) ? payload.bead : undefined
}

function formatActor({ actor }: CityEvent, more: EventActor | undefined): string {
  const details = [
    more?.agent && `agent ${more.agent}`,
    more?.bead && `on ${more.bead}`,
    more?.label && `as ${more.label}`,
  ]
  const shown = details.filter(Boolean).join(', ')
  return `${actor}${shown && ` (${shown})`}`
}

/** Changes of an event compared with the previous one, in words. */
function changesSince(before: Record<string, unknown> | undefined, event: CityEvent): string[] {
  const after = beadOf(event)
  if (!after)
    return isRecord(event.payload) && isRecord(event.payload.comment) ? [formatComment(event.payload.comment)] : []
  if (event.type === 'bead.created' || !before) return [`“${after.title}”`, `status ${after.status}`]
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap((name) => (IGNORED_FIELDS.has(name) ? [] : formatChange(name, before[name], after[name])))
}

/** Fields whose changes are not worth showing. */
const IGNORED_FIELDS = new Set(['updated_at', 'is_blocked'])

function formatChange(name: string, before: unknown, after: unknown): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  if (name === 'description') return ['description changed']
  if (name === 'dependencies') return ['dependencies changed']
  if (name !== 'metadata') return [`${name} ${formatValue(before)} → ${formatValue(after)}`]
  const [old, now] = [isRecord(before) ? before : {}, isRecord(after) ? after : {}]
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((key) =>
    formatChange(key, old[key], now[key]),
  )
}

const formatValue = (value: unknown): string => {
  if (value === undefined || value === '') return 'none'
  return Array.isArray(value) ? value.join(' ') : typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const formatComment = ({ author, text }: Record<string, unknown>): string => `${author}: ${text}`
