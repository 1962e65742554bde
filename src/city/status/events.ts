import { defineEvent, NoPayload } from '../../core/events/index.ts'

export const CitySuspended = defineEvent(
  'city.suspended',
  NoPayload,
  'The city starts no new sessions until it is resumed.',
)
export const CityResumed = defineEvent('city.resumed', NoPayload, 'The city starts sessions again.')
export const ControllerStarted = defineEvent('controller.started', NoPayload, 'The city was opened.')
export const ControllerStopped = defineEvent('controller.stopped', NoPayload, 'The city was closed.')
