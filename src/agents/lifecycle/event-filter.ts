import type { RecordedEvent } from '../../core/events/event.ts'
import { WorkKey } from '../../work/metadata.ts'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether an event may change what is to be started or ended. Changes of sessions themselves are notified otherwise. */
export function affectsSessions({ type, payload }: RecordedEvent): boolean {
  if (!type.startsWith('bead.')) return type === 'city.suspended' || type === 'city.resumed'
  const bead = isObject(payload) ? payload.bead : undefined
  if (!isObject(bead) || bead.issue_type === 'session') return false
  if (type !== 'bead.created' && type !== 'bead.updated') return true
  const metadata = isObject(bead.metadata) ? bead.metadata : {}
  return typeof bead.assignee === 'string' || typeof metadata[WorkKey.routedTo] === 'string'
}
