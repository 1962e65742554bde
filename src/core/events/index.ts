export {
  By,
  defineEvent,
  Emitted,
  type EventAttributes,
  type EventDefinition,
  NoPayload,
  type PayloadOf,
  payload,
  payloadOf,
  type RecordedEvent,
} from './event.ts'
export { type FollowedEvent, Follower, type Gap, type LogSource } from './follow.ts'
export { EventLog } from './log.ts'
export { Reactions } from './reactions.ts'
export { EventRetention } from './retention.ts'
export { EventArchives, EventsRotated, type Rotated } from './rotation.ts'
export { EVENT_COLUMNS, type EventRow, type EventValues, INSERT, toDraft, toEventText, toValues } from './row.ts'
